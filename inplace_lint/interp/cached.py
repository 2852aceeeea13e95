"""Reuses the result of a function under `functools.cache`: equal constant arguments return the same value.

For other arguments each call runs, and what it returns counts as handed out: the cache holds it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import names
from .values import Constant, FunctionValue, Symbol, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run

_CACHES = frozenset({"functools.cache", "functools.lru_cache"})


def result(
    run: Run,
    function: FunctionValue,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
    exact: bool,
) -> Value | None:
    """The result of a call of a cached function, computed at the first such call; None if the function has no cache.

    Only calls with constant arguments share a result: it is the same on every path. A function that may write runs at
    each call.
    """
    source = function.source
    if not _is_cached(function):
        return None
    shares = not kwargs and all(type(value) is Constant for value in args)
    if not shares or source in run.entering.active or run.program.enters(source):
        made = run.enter(function, args, kwargs, at, exact)
        run.handed.given.update(tensor.storage for _, tensor in run.tensors_within(made))
        return made
    # A nested function is defined anew, with an empty cache, at each call of the function around it.
    name = f"{source.name}@{source.node.lineno}#{function.frame}"
    key = (source.module, f"{name}({', '.join(map(_spelt, args))})")
    known = run.top_levels.globals.get(key)
    if known is None:
        known = names.apart(run, source.module, lambda: run.enter(function, args, {}, at, force=True))
        run.top_levels.globals[key] = known
    return known


def _is_cached(function: FunctionValue) -> bool:
    return any(isinstance(one, Symbol) and one.dotted in _CACHES for one in function.decorated or ())


def _spelt(value: Value) -> str:
    return repr(value.value) if isinstance(value, Constant) else "?"
