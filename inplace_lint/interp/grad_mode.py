"""Tracks grad mode and autocast, as set by `torch.no_grad()` and its kin as context managers, decorators or calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.spelling import MODES
from .values import Bound, Constant, FunctionValue, Instance, Scalar, Symbol, Unknown, Value, flatten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..syntax.module import FunctionSource
    from .frames import Place
    from .run import Run
    from .storage import Storage


class Mode(Value):
    """A context manager (or decorator) that sets a mode: grad (on, off, inference, unknown) or autocast.

    It may also change what becomes of saves. `unchecked`: from this place on, backward compares no versions; `unsaved`:
    ops save copies, which no write can change; `preserved`: writes to these storages move no version.
    """

    __slots__ = ("autocast", "before", "flag", "grad", "preserved", "unchecked", "unsaved")

    def __init__(self, grad: str | None = None, autocast: bool = False) -> None:
        self.grad = grad
        #: the value that decides whether gradients are recorded, if it is not a constant
        self.flag: Value | None = None
        self.autocast = autocast
        #: the mode to go back to, if calling the manager's class has changed it already
        self.before: str | None = None
        self.unchecked: Place | None = None
        self.unsaved = False
        self.preserved: frozenset[Storage] = frozenset()


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
    """Applies a context manager, or a decorator at the start of its function, to the modes of the run."""
    if isinstance(decorator, Mode):
        if decorator.grad is not None:
            run.grad = decorator.grad
        run.keeping.autocast = run.keeping.autocast or decorator.autocast
        run.keeping.unchecked = decorator.unchecked or run.keeping.unchecked
        run.keeping.unsaved = decorator.unsaved or (run.keeping.unsaved and decorator.unchecked is None)
        run.keeping.preserved |= decorator.preserved
    elif isinstance(decorator, Symbol) and decorator.dotted.startswith("torch.ops."):
        run.grad = "off"  # the function is the body of a custom operator
    elif run.grad == "on" and any(_may_set_grad_mode(run, atom) for atom in flatten(decorator)):
        run.grad = "unknown"


def _may_set_grad_mode(run: Run, decorator: Value) -> bool:
    """Whether a decorator may change the grad mode of its function; one of the project only if its text mentions it.

    One of another package is not expected to: such a decorator registers the function, parses options for it, times it.
    """
    while isinstance(decorator, Bound):
        decorator = decorator.func
    if isinstance(decorator, FunctionValue):
        return sets_grad_mode(decorator.source)
    if isinstance(decorator, Instance):
        bases = decorator.cls.external_bases()
        methods = [source for cls in decorator.cls.order() for source in cls.source.methods.values()]
        return not MODES.keys().isdisjoint(bases) or any(map(sets_grad_mode, methods))
    generator = run.entering.generators.get(decorator)
    if generator is not None:
        return sets_grad_mode(generator.function.source)
    return not isinstance(decorator, (Symbol, Scalar, Unknown))


def sets_grad_mode(source: FunctionSource) -> bool:
    """Whether a context manager or decorator of the project may change the grad mode: its text mentions one."""
    text = source.text
    return b"grad" in text or b"inference_mode" in text
