"""Enters and leaves context managers: those of the project, and those of `contextlib`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.spelling import MODES
from . import external_modules, generators, grad_mode, lookup, names
from .values import Bound, Constant, FunctionValue, Instance, Native, Scalar, Symbol, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

NONE = Constant(None)


class Context(Value):
    """A context manager: the value that `with … as` binds (None: the manager itself), and what its end does."""

    __slots__ = ("at_exit", "entered", "suppresses")

    def __init__(self, entered: Value | None = None, suppresses: Sequence[Value] = ()) -> None:
        self.entered = entered
        self.suppresses = suppresses
        self.at_exit: list[Callable[[], object]] = []

    def leave(self) -> None:
        """Runs what was registered, the latest first."""
        while self.at_exit:
            self.at_exit.pop()()


def enter_context(run: Run, manager: Value, at: ast.AST) -> Value:
    """Enters a context manager, and returns the value that `with manager as name` binds."""
    if isinstance(manager, Context):
        return manager if manager.entered is None else manager.entered
    if isinstance(manager, Instance):
        found = lookup.find(run, manager.cls.order(), "__enter__")
        if isinstance(found, FunctionValue):
            return run.call(Bound(found, [manager], {}), [], {}, at)
        return manager
    if manager in run.entering.generators and grad_mode.sets_grad_mode(
        run.entering.generators[manager].function.source
    ):
        run.grad = "unknown"
    if isinstance(manager, Symbol) and manager.dotted in MODES:
        grad_mode.apply(run, grad_mode.of(manager.dotted, [], {}))
    elif isinstance(manager, Unknown) and run.grad == "on" and names.may_come_by_a_star(run, at):
        run.grad = "unknown"  # an `import *` may have bound the name to torch's `no_grad`
    return (
        manager if isinstance(manager, Scalar) else external_modules.result_of(run, [manager], {})
    )  # a file is a scalar


def leave_context(run: Run, manager: Value, at: ast.AST) -> Value:
    """Calls the `__exit__` of a project object at the end of a `with` block; what it returns."""
    if isinstance(manager, Context) and run.path:
        manager.leave()
    if isinstance(manager, Instance) and run.path:
        found = lookup.find(run, manager.cls.order(), "__exit__")
        if isinstance(found, FunctionValue):
            return run.call(Bound(found, [manager], {}), [NONE] * 3, {}, at)
    return NONE


def attribute(run: Run, context: Context, name: str) -> Value | None:
    """The methods of an `ExitStack`."""
    if name not in ("enter_context", "callback", "push", "close", "pop_all"):
        return None

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if name == "enter_context" and args:
            manager = run.settled(args[0])
            generator = run.entering.generators.get(manager)
            if generator is not None:
                # From behind the `yield`, where it waits until then.
                context.at_exit.append(lambda: generators.first(run, generator, at))
                return generators.first(run, generator, at)
            if isinstance(manager, grad_mode.Mode):
                return _entered_mode(run, context, manager)
            value = enter_context(run, manager, at)
            context.at_exit.append(lambda: leave_context(run, manager, at))
            return value
        if name == "callback" and args:
            context.at_exit.append(lambda: run.call(args[0], args[1:], kwargs, at))
            return args[0]
        if name == "close":
            context.leave()
        return context if name == "pop_all" else NONE

    return Native(play)


def _entered_mode(run: Run, context: Context, mode: grad_mode.Mode) -> Value:
    """`stack.enter_context(torch.no_grad())`: the mode lasts until the stack is left."""
    grad = run.grad if mode.before is None else mode.before
    keeping = run.keeping
    outer = (keeping.autocast, keeping.unchecked, keeping.unsaved, keeping.preserved)

    def restore() -> None:
        run.grad = grad
        keeping.autocast, keeping.unchecked, keeping.unsaved, keeping.preserved = outer

    context.at_exit.append(restore)
    grad_mode.apply(run, mode)
    return mode


def _null(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return Context(args[0] if args else kwargs.get("enter_result", NONE))


def _stack(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return Context()


def _suppress(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return Context(NONE, args)


INTRINSICS = {
    "contextlib.nullcontext": _null,
    "contextlib.closing": _null,
    "contextlib.suppress": _suppress,
    "contextlib.ExitStack": _stack,
}
