"""Models containers of modules from other packages as `nn.ModuleList`: a loop over one yields what was put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import intrinsics
from .layers import is_module
from .values import Constant, Sequence_, Value, flatten

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from ..syntax.module import FunctionSource
    from .run import Run

_FILLED = (b".append(", b".extend(", b".insert(")


def made(run: Run, args: Sequence[Value], at: ast.AST) -> Value | None:
    """An `nn.ModuleList` for a call of an unknown class in a method of a module; None if it may be no list.

    It is one if its only argument is a list of modules, or if it has none and is appended to in the same method. `None`
    may stand in places of the list.
    """
    source = run.frame.function
    if source is None or source.owner is None or not run.program.class_value(source.owner).is_module():
        return None
    given = args[0] if len(args) == 1 else None
    if given is None:
        is_list = not args and _is_filled(run, source, at)
    else:
        elements = (
            run.elements(given)
            if isinstance(given, Sequence_) and given.kind in ("list", "tuple", "iterator")
            else []
        )
        held = [atom for one in elements for atom in flatten(one) if not isinstance(atom, Constant)]
        is_list = all(map(is_module, held)) and (
            bool(held) or (bool(elements) and _is_filled(run, source, at))
        )
    return intrinsics.INTRINSICS["torch.nn.ModuleList"](run, args, {}, at) if is_list else None


def _is_filled(run: Run, source: FunctionSource, at: ast.AST) -> bool:
    """Whether the function binds the call to a name or attribute, and calls `append` or its kin on that."""
    receiver = source.receiver.encode()
    for name, entries in run.program.prefilter.assigned(source).names.items():
        if any(how == "=" and value is at for how, value, _ in entries):
            spelled = receiver * name.startswith(".") + name.encode()
            return any(source.mentions(spelled + filled) for filled in _FILLED)
    return False
