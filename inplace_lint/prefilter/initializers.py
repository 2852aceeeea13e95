"""Recognises rows that only initialise parameters under no_grad: `nn.init.normal_(self.weight)` or a project helper."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from ..syntax.module import FunctionSource
from . import grad_mode
from .source_words import Pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import Module
    from .prefilter import Prefilter

#: `nn.init.normal_(self.weight, …)` or `normal_(…)`, on an attribute but not on its `data`.
_FILLS = Pattern(rb"^[ \t]*((?:\w+\.)*)(\w+_)\(\w+\.(?!data\b)[^()]*(?:\([^()]*\)[^()]*)*\)[ \t]*(?:#.*)?$")


def of_project(prefilter: Prefilter, module: Module) -> None:
    """Stores in the file's memo which imported functions fill a tensor and record nothing."""
    if module.memo.initialisers is not None:
        return
    found = set()
    for name in module.imports:
        if name.endswith("_") and not name.startswith("_"):
            definition = prefilter.names.definition(module, name)
            what = None if definition is None else definition.what
            if isinstance(what, FunctionSource) and _fills_quietly(prefilter, what):
                found.add(name)
    module.memo.initialisers = frozenset(found)


def _fills_quietly(prefilter: Prefilter, source: FunctionSource) -> bool:
    """Whether a function uses its first argument only where nothing is recorded."""
    first = source.parameters[0].arg if source.parameters else ""
    return grad_mode.records_nothing(prefilter, source) or grad_mode.calls_quietly(prefilter, source, first)


def only_initialises(module: Module, function: FunctionSource, rows: Sequence[int]) -> bool:
    """Whether a function's writes on these rows only initialise attributes.

    That alone is no error in the function; its callers check the writes against their own saves.
    """
    if function.name in ("forward", "__call__"):
        return False  # a forward may have used the tensor before it fills it
    first, last = function.node.lineno, function.node.end_lineno or 0
    inside = rows[bisect_left(rows, first) : bisect_right(rows, last)]
    return bool(inside) and all(initialises(module, row) for row in inside)


def initialises(module: Module, row: int) -> bool:
    """Whether a row holds only an initialisation."""
    line = module.text(row, row)
    found = _FILLS().match(line) if b"_(" in line else None
    if found is None:
        return False
    root, _, rest = found.group(1).decode().rstrip(".").partition(".")
    if not root:
        return found.group(2).decode() in (module.memo.initialisers or ())
    known = module.imports.get(root)
    if known is None or known.level:
        return False
    return ".".join(filter(None, (known.module, known.member, rest))) == "torch.nn.init"
