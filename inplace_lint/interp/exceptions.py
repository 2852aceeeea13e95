"""Interprets `raise` and `try`: an explicit `raise` goes to the handler of its class; others may raise too."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from ..syntax import ir
from . import containers, generators
from .class_value import ClassValue
from .frames import DEAD, State
from .guards import both, literal
from .joins import join
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Scalar,
    Sequence_,
    Symbol,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from .execute import Handlers
    from .guards import Guard
    from .run import Run
    from .values import Value

    #: A path that raised, what changed on it since the `try` began, and what was raised.
    Raised = tuple[Guard, dict[Hashable, Value], Value]

#: More explicit raises in one `try` than this are treated as any other statement that may raise.
_MOST = 6


class Catch:
    """A `try` (or `with suppress(…)`) whose body is being run: the state it began with, and what was raised in it."""

    __slots__ = ("base", "raised", "unsure")

    def __init__(self, base: State) -> None:
        self.base = base
        #: something in it may raise without a `raise`
        self.unsure = False
        self.raised: list[Raised] = []


class Error(Unknown):
    """An exception of a class outside the project."""

    __slots__ = ("cls",)

    def __init__(self, cls: Symbol) -> None:
        super().__init__()
        self.cls = cls


def is_error(dotted: str) -> bool:
    """Whether this is one of Python's own exception classes."""
    space, _, name = dotted.rpartition(".")
    return space == "builtins" and _builtin(name) is not None


def _builtin(name: str) -> type[BaseException] | None:
    found = getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def made(run: Run, dotted: str, args: Sequence[Value]) -> Error:
    """`RuntimeError("…")`."""
    error = Error(Symbol(dotted))
    run.set_member(error, "args", containers.make(run, "tuple", args))
    return error


def throw(run: Run, error: Value) -> None:
    """Raises: the path goes on in the innermost `try` of the run, if there is one."""
    if run.path and run.trying.catching:
        catch = run.trying.catching[-1]
        catch.raised.append((run.path, run.state.changes(catch.base), error))
    run.path = DEAD


def throw_builtin(run: Run, name: str) -> None:
    """Raises one of Python's own errors if the run is in a `try`; elsewhere it is taken not to happen."""
    if run.trying.catching:
        throw(run, Symbol(f"builtins.{name}"))


def _raise(run: Run, i: ir.Raise) -> None:
    error = run.trying.handled[-1] if i.src is None and run.trying.handled else None
    if i.src is not None:
        error = run.settled(run.frame.registers[i.src])
    throw(run, Unknown() if error is None else error)


def matches(error: Value, kind: Value | None, run: Run) -> bool | None:
    """Whether `except kind` takes an error; None if that is not known."""
    if kind is None:
        return True
    if isinstance(kind, Sequence_):
        answers = [matches(error, one, run) for one in run.elements(kind)]
        return True if True in answers else None if None in answers else False
    cls: Value | None = error
    if isinstance(error, (Error, Instance)):
        cls = error.cls
    bases = [cls.dotted] if isinstance(cls, Symbol) else []
    if isinstance(cls, ClassValue):
        if isinstance(kind, ClassValue):
            return True if kind in cls.order() else None if "?" in cls.external_bases() else False
        bases = cls.external_bases()
    if not bases or "?" in bases or not isinstance(kind, (Symbol, ClassValue)):
        return None
    if isinstance(kind, ClassValue):
        return False
    known = [_builtin(base.rpartition(".")[2]) if is_error(base) else None for base in bases]
    wanted = _builtin(kind.dotted.rpartition(".")[2]) if is_error(kind.dotted) else None
    if kind.dotted in bases or any(one and wanted and issubclass(one, wanted) for one in known):
        return True
    return False if None not in known else None


def _handle(
    run: Run, i: ir.Try, catch: Catch
) -> tuple[list[tuple[Guard, dict[Hashable, Value]]], list[Raised]]:
    """Runs the handlers for what was raised explicitly in the body.

    The paths and changes that they end with, and what no handler takes.
    """
    outcomes, escaping = [], []
    for path, changes, error in catch.raised:
        run.path = path
        for number, handler in enumerate(i.handlers):
            run.state = State(catch.base)
            run.state.slots.update(changes)
            if not run.path:
                break
            run.block(handler.of_type)
            kind = None if handler.type is None else run.settled(run.frame.registers[handler.type])
            taken = matches(error, kind, run)
            if taken is False:
                continue
            others = DEAD
            if taken is None:
                which = run.bit(("handler", i, number, run.frame.uid))
                others = both(run.path, literal(which, False))
                run.path = both(run.path, literal(which, True))
            run.trying.handled.append(error)
            run.block(handler.body)
            run.trying.handled.pop()
            outcomes.append((run.path, run.state.slots))
            run.path = others
        if run.path:
            escaping.append((run.path, changes, error))
    return outcomes, escaping


def caught(run: Run, body: ir.Block) -> Catch:
    """Runs the body of a `try`, in a state of its own, and collects what it raises."""
    return _caught(run, lambda: run.block(body))


def _caught(run: Run, action: Callable[[], None]) -> Catch:
    catch = Catch(run.state)
    run.state = State(catch.base)
    run.trying.catching.append(catch)
    action()
    run.trying.catching.pop()
    return catch


#: Instructions that raise nothing, and those whose parts are noted one by one.
_SAFE = frozenset(
    {
        *(
            ir.Constant,
            ir.Load,
            ir.Store,
            ir.Move,
            ir.Build,
            ir.BuildDict,
            ir.Append,
            ir.MakeFunction,
            ir.Return,
        ),
        *(ir.Raise, ir.Break, ir.Continue, ir.If, ir.For, ir.While, ir.With, ir.Try),
    }
)
#: Values that are known well enough to say whether an access to them raises.
_KNOWN = (Constant, Scalar, Instance, ClassValue, FunctionValue, Sequence_, Mapping_, Symbol)


def note(run: Run, i: ir.Instruction) -> None:
    """Notes that an instruction in the body of a `try` may raise, unless all that it depends on is known."""
    if type(i) not in _SAFE and not _is_known(run, i):
        for catch in run.trying.catching:
            catch.unsure = True


def _is_known(run: Run, i: ir.Instruction) -> bool:
    registers = run.frame.registers
    if isinstance(i, ir.Call):
        func, made = registers.get(i.func), registers.get(i.dst)
        while isinstance(func, Bound):
            func = func.func
        if isinstance(func, (FunctionValue, ClassValue)):
            return func.source in run.entering.entered or isinstance(func, ClassValue)
        if isinstance(func, Symbol) and func.dotted.startswith("torch."):
            return isinstance(made, Constant)  # an op on a tensor may raise, also one with several results
        return isinstance(func, (Symbol, Native)) and isinstance(made, (Constant, Sequence_, Mapping_))
    if isinstance(i, (ir.GetItem, ir.SetItem, ir.GetAttribute, ir.SetAttribute, ir.DeleteItem)):
        made = registers.get(i.dst) if isinstance(i, (ir.GetItem, ir.GetAttribute)) else None
        return isinstance(registers.get(i.obj), _KNOWN) and not isinstance(made, Unknown)
    if isinstance(i, (ir.Binary, ir.Compare, ir.Augmented)):
        return all(isinstance(registers.get(side), _KNOWN) for side in (i.left, i.right))
    if isinstance(i, ir.Unary):
        return isinstance(registers.get(i.operand), _KNOWN)
    return isinstance(i, ir.Unpack) and isinstance(registers.get(i.src), Sequence_)


def _try(run: Run, i: ir.Try) -> None:
    base, path = run.state, run.path
    # In each round of a loop another statement may raise, so each round has a test of its own.
    raised = run.bit(("raises", i, run.frame.uid, run.uid() if run.within else 0))
    catch = caught(run, i.body)
    always = not run.path and 0 < len(catch.raised) <= _MOST
    if run.path:
        run.block(i.orelse)
    outcomes = [(run.path, run.state.slots)]
    if i.handlers and not always and catch.unsure:
        outcomes = [(both(run.path, literal(raised, False)), run.state.slots)]
        for number, handler in enumerate(i.handlers):
            which = run.bit(("handler", i, number, run.frame.uid))
            run.state = State(base)
            run.path = both(path, both(literal(raised, True), literal(which, True)))
            run.block(handler.of_type)
            run.trying.handled.append(Unknown())
            run.block(handler.body)
            run.trying.handled.pop()
            outcomes.append((run.path, run.state.slots))
    escaping: list[Raised] = []
    if len(catch.raised) <= _MOST:
        handled, escaping = _handle(run, i, catch)
        outcomes += handled
    for out, changes, error in escaping:
        run.path, run.state = out, State(base)
        run.state.slots.update(changes)
        run.block(i.final)
        throw(run, error)
    run.state = base
    all_left = not escaping and not any(guard for guard, _ in outcomes)
    run.merge(outcomes)
    if all_left and generators.is_stepped(run.frame):
        return  # at a `yield`, behind which it may go on
    if all_left and i.final:
        run.path = path
        run.block(i.final)
        run.path = DEAD
    elif run.path:
        run.block(i.final)


def returned_by(run: Run, body: ir.Block) -> Value | None:
    """Runs the body of a `with` whose end has code to run. If every path returns, what they return, else None.

    `return_behind` returns it once that code has run. Where some paths go on, those that return leave out that code.
    """
    count = len(run.frame.returns)
    run.block(body)
    returned = run.frame.returns[count:]
    if run.path or not returned:
        return None
    del run.frame.returns[count:]
    run.merge([(path, changes) for path, _, changes in returned])
    return join([(path, value) for path, value, _ in returned])


def return_behind(run: Run, value: Value | None) -> None:
    """Returns what the body of a `with` returned, after the code at its end."""
    if value is not None and run.path:
        run.frame.returns.append((run.path, value, run.state.changes(run.frame.base)))
        run.path = DEAD


def guarded(run: Run, body: ir.Block, leave: Callable[[], Value]) -> Value | None:
    """Runs the body of a `with`; where it raises, `leave` calls `__exit__`, which tells whether to go on behind it.

    What the body returns, as `returned_by` says.
    """
    base = run.state
    returned: list[Value | None] = []
    catch = _caught(run, lambda: returned.append(returned_by(run, body)))
    outcomes = [(run.path, run.state.slots)]
    for path, changes, error in catch.raised:
        run.path, run.state = path, State(base)
        run.state.slots.update(changes)
        swallowed, passed_on = run.split(leave())
        outcomes.append((both(run.path, swallowed), run.state.slots))
        run.path = both(run.path, passed_on)
        throw(run, error)
    run.state = base
    run.merge(outcomes)
    return returned[0]


def suppressed(run: Run, kinds: Sequence[Value], body: ir.Block) -> None:
    """`with suppress(…): body`: goes on after the block where an error of these kinds is raised in it."""
    base = run.state
    catch = caught(run, body)
    outcomes = [(run.path, run.state.slots)]
    for path, changes, error in catch.raised:
        if any(matches(error, kind, run) is not False for kind in kinds):
            outcomes.append((path, changes))
    run.state = base
    run.merge(outcomes)


HANDLERS: Handlers = {ir.Raise: _raise, ir.Try: _try}
