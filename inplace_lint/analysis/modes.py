"""In which mode code runs: what `torch.no_grad()` and its kin set, as context managers and as decorators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.spelling import MODES
from .values import Constant, FunctionValue, Mode, Scalar, Symbol, Value, flatten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..syntax.module import FunctionSource
    from .run import Run


def of(dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Mode:
    """The mode that `torch.no_grad()` and its kin set."""
    kind = MODES[dotted]
    if kind == "autocast":
        enabled = kwargs.get("enabled")
        return Mode(None, not (isinstance(enabled, Constant) and not enabled.value))
    flag = args[0] if args else kwargs.get("mode")
    if kind == "flag":
        if isinstance(flag, Constant):
            return Mode("on" if flag.value else "off")
        told = Mode("unknown")
        told.flag = flag
        return told
    if kind == "inference" and isinstance(flag, Constant) and not flag.value:
        return Mode("on")
    return Mode(kind)


def apply(run: Run, decorator: Value) -> None:
    """What a decorator does to the grad mode of the function under it."""
    if isinstance(decorator, Mode):
        if decorator.grad is not None:
            run.grad = decorator.grad
        run.autocast = run.autocast or decorator.autocast
        run.keeping.unchecked = decorator.unchecked or run.keeping.unchecked
        run.keeping.unsaved = decorator.unsaved or (run.keeping.unsaved and decorator.unchecked is None)
        run.keeping.preserved |= decorator.preserved
    elif isinstance(decorator, Symbol) and decorator.dotted.startswith("torch.ops."):
        run.grad = "off"  # it is the body of an operator
    elif run.grad == "on" and any(_may_set_grad_mode(atom) for atom in flatten(decorator)):
        run.grad = "unknown"


def _may_set_grad_mode(decorator: Value) -> bool:
    """Whether the function under a decorator may run in another grad mode; of one in sight its text has to say so."""
    if isinstance(decorator, FunctionValue):
        return sets_grad_mode(decorator.source)
    return not isinstance(decorator, (Symbol, Scalar))


def sets_grad_mode(source: FunctionSource) -> bool:
    """Whether a generator that is a context manager, or a decorator, may run what is in it in another grad mode."""
    text = source.text
    return b"grad" in text or b"inference_mode" in text
