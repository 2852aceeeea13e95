"""Resolves attributes whose name is computed: `getattr(nn, act)`, `nn.__dict__[act]`, `self.add_module(name, layer)`.

If the name is a parameter with a default, the default gets a path of its own, since most callers keep it. A layer
registered under an unknown name may be any attribute that nothing else sets. `getattr(self, f"layer{i}")` is one of
the layers whose attribute name starts with `layer`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import comparisons, inherited
from .guards import both
from .joins import join
from .values import (
    ANY,
    Constant,
    Instance,
    Native,
    Phi,
    Scalar,
    Sequence_,
    TorchModule,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .run import Run

_LAYERS = (Instance, Sequence_, TorchModule)
#: String methods that return another spelling of the same name.
_SPELLINGS = frozenset("casefold lower strip upper".split())


def by_default(run: Run, name: Value, at: ast.AST, found: Callable[[str], Value]) -> Value | None:
    """`found(default)` on the paths where a name has its default, unknown on the others; None if it has no default."""
    default = name.default if isinstance(name, Scalar) else None
    if not isinstance(default, str):
        return None
    path = run.path
    taken, other = run.split(comparisons.compare(run, "==", name, Constant(default), at))
    run.path = both(path, taken)
    value = found(default)
    run.path = path
    each = [(both(path, taken), value), (both(path, other), Unknown())]
    return join([(guard, one) for guard, one in each if guard])


def entry(run: Run, obj: Value, name: Value, at: ast.AST) -> Value | None:
    """The attribute of an object under a name that may be computed; None if it is not known which."""
    if isinstance(name, Constant) and isinstance(name.value, str):
        return run.attribute(obj, name.value, at)
    if isinstance(name, Phi):
        each, path = [], run.path
        for guard, atom in run.live(name):
            run.path = guard
            each.append((guard, entry(run, obj, atom, at)))
        run.path = path
        known = [(guard, found) for guard, found in each if found is not None]
        return join([(guard, found or Unknown()) for guard, found in each]) if known else None
    return by_default(run, name, at, lambda word: run.attribute(obj, word, at))


def spelled(run: Run, name: Scalar, method: str) -> Native | None:
    """Models `name.lower()` and its kin for a name with a default; None for other names and methods."""
    default = name.default
    if not isinstance(default, str) or method not in _SPELLINGS:
        return None

    def play(run: Run, args: object, kwargs: object, at: ast.AST) -> Value:
        made = run.scalar((method, name))
        made.default = getattr(default, method)()
        return made

    return Native(play)


def register(run: Run, obj: Instance, layer: Value, at: ast.AST) -> None:
    """Models `setattr(obj, name, layer)` with an unknown name: the layer may be any attribute not set otherwise.

    Once one of them is unknown, nothing is known of any. Of `f"layer{i}"` the text at the start is known, which
    `attribute` asks for: the latest layer stands for all that are registered so, if they are of one kind.
    """
    are_layers = all(isinstance(atom, _LAYERS) for _, atom in alternatives(layer))
    prefix = _prefix(name_in(at))
    if prefix and are_layers:
        known = run.state.get((obj, f"{prefix}…"))
        alike = known is None or _kinds(known) == _kinds(layer)
        run.put(obj, f"{prefix}…", layer if alike else Unknown())
    known = run.state.get((obj, ANY))
    if isinstance(layer, Unknown):
        run.put(obj, ANY, Unknown())
    elif are_layers:
        if not isinstance(known, Unknown):
            run.put(obj, ANY, layer if known is None else join([(run.path, known), (run.path, layer)]))
        inherited.register(run, obj, "", layer)  # under any name, it is the next layer of an `nn.Sequential`


def _kinds(layer: Value) -> list[object]:
    """The classes of what a layer may be."""
    return [getattr(atom, "cls", None) or getattr(atom, "name", None) for _, atom in alternatives(layer)]


def name_in(at: ast.AST) -> ast.expr | None:
    """The expression for a name: in `getattr(obj, name)`, `obj.__getattr__(name)`, `obj.add_module(name, layer)`.

    Also in `obj._modules[name]`.
    """
    if isinstance(at, ast.Subscript):
        return at.slice
    args = at.args if isinstance(at, ast.Call) else []
    place = 0 if isinstance(at, ast.Call) and isinstance(at.func, ast.Attribute) else 1
    return args[place] if place < len(args) else None


def _prefix(name: ast.expr | None) -> str:
    """The text that a computed name starts with: `f"layer{i}"`, `"layer%d" % i` and `"layer" + str(i)`; or none."""
    if isinstance(name, ast.JoinedStr):
        return _prefix(name.values[0]) if name.values else ""
    if isinstance(name, ast.BinOp) and isinstance(name.op, (ast.Mod, ast.Add)):
        return _prefix(name.left).partition("%" if isinstance(name.op, ast.Mod) else "\0")[0]
    if isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute) and name.func.attr == "format":
        return _prefix(name.func.value).partition("{")[0]
    return name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else ""


def attribute(run: Run, obj: Instance, name: ast.expr | None) -> Value | None:
    """Models `getattr(obj, f"layer{i}")`: one of the layers whose attribute names start with the same text."""
    if obj.pending is not None:
        run.materialise(obj)
    prefix = _prefix(name)
    if not prefix:
        return run.state.get((obj, ANY))
    if isinstance(run.state.get((obj, f"{prefix}…")), Unknown):
        return Unknown()
    found = [run.state.get((obj, key)) for key in obj.keys if isinstance(key, str) and key.startswith(prefix)]
    layers = [v for v in found if v is not None and all(isinstance(a, _LAYERS) for _, a in alternatives(v))]
    return join([(run.path, layer) for layer in layers]) if layers else run.state.get((obj, ANY))
