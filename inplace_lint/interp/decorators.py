"""Applies decorators: decides which function a name is bound to, and the grad mode that the function runs in."""

from __future__ import annotations

import ast
from copy import copy
from typing import TYPE_CHECKING

from ..syntax.module import FunctionSource
from ..syntax.nodes import does_nothing, first_name, is_not_implemented
from ..torchmodel.spelling import MODES
from . import grad_mode
from .budget import EVERYTHING
from .class_value import ClassValue
from .grad_mode import Mode
from .values import Bound, Constant, FunctionValue, Native, Symbol, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import Module
    from .run import Run


def decorated(run: Run, function: FunctionValue, decorators: Sequence[Value], at: ast.AST) -> Value:
    """The value that a function name is bound to once its decorators are applied, innermost first."""
    result: Value = function
    module, nodes = function.source.module, getattr(function.source.node, "decorator_list", ())
    for decorator, node in reversed(list(zip(decorators, nodes))):
        if isinstance(decorator, Symbol) and decorator.dotted in MODES:
            decorator = grad_mode.of(decorator.dotted, [], {})
        elif isinstance(decorator, Unknown) and _may_be_a_mode(run, module, node):
            decorator = Mode("unknown")
        method = isinstance(decorator, Bound) and isinstance(decorator.func, FunctionValue)
        if (method or isinstance(decorator, (FunctionValue, Native))) and isinstance(result, FunctionValue):
            if isinstance(decorator, FunctionValue) and decorator.source not in run.entering.active:
                wrapped = _wrapped(run, decorator, result, at)
            else:
                wrapped = run.call(decorator, [result], {}, at)
            if isinstance(wrapped, FunctionValue):
                wrapped.cls = result.cls
                result = wrapped
                continue
        if isinstance(decorator, ClassValue) and isinstance(result, FunctionValue):
            return run.call(decorator, [result], {}, at)
        if isinstance(result, FunctionValue):
            result.decorated = [decorator, *(result.decorated or ())]
        elif not isinstance(decorator, (Mode, Symbol)):
            return Unknown()
    return result


def _may_be_a_mode(run: Run, module: Module, node: ast.expr) -> bool:
    """Whether a decorator of which nothing is known may set the grad mode.

    That is so if an `import *` may have brought torch's `no_grad`, or a function of the project made it, whose text
    mentions one. What another package made is not expected to.
    """
    found = run.program.names.resolve(module, node.func if isinstance(node, ast.Call) else node)
    made_by = None if found is None else found.what
    return run.program.may_come_by_a_star(module, first_name(node) or "") or (
        isinstance(made_by, FunctionSource) and grad_mode.sets_grad_mode(made_by)
    )


def attribute(run: Run, function: FunctionValue, name: str, at: ast.AST) -> Value:
    """An attribute of a function: its name, what it wraps, what an operator has, or what the program has set."""
    if name in ("__name__", "__qualname__"):
        return (
            Constant(function.source.name)
            if function.wraps is None
            else run.attribute(function.wraps, name, at)
        )
    if name == "__get__":
        return Native(lambda run, args, kwargs, at: _bound_to(function, args))
    if name == "__wrapped__" and function.wraps is not None:
        return function.wraps
    for decorator in function.decorated or ():
        if isinstance(decorator, Symbol) and decorator.dotted.startswith("torch.ops."):
            return Symbol(f"{decorator.dotted}.{name}")
    return run.state.get((function.source, name)) or Unknown()


def _bound_to(function: FunctionValue, args: Sequence[Value]) -> Value:
    """function.__get__(obj, cls): of None, the function itself."""
    of_class = not args or (isinstance(args[0], Constant) and args[0].value is None)
    return function if of_class else Bound(function, [args[0]], {})


def in_mode(mode: Mode, args: Sequence[Value]) -> Value | None:
    """What `torch.no_grad()(function)` makes of a function or a method of an object; None of anything else."""
    called = args[0] if len(args) == 1 else None
    if isinstance(called, Bound):
        inner = in_mode(mode, [called.func])
        return None if inner is None else Bound(inner, called.args, called.kwargs)
    if not isinstance(called, FunctionValue):
        return None
    made = copy(called)
    made.decorated = [mode, *(called.decorated or ())]
    return made


def records_nothing(function: FunctionValue) -> bool:
    """Whether a decorator turns the recording of gradients off."""
    return any(isinstance(one, Mode) and one.grad in ("off", "inference") for one in function.decorated or ())


def of_class(run: Run, decorator: Value, cls: ClassValue, at: ast.AST) -> None:
    """Runs a class decorator for its effects, such as registering the class; the class itself is taken as unchanged."""
    if isinstance(decorator, FunctionValue) and decorator.source not in run.entering.active:
        _wrapped(run, decorator, cls, at)
    elif isinstance(decorator, Bound) and isinstance(decorator.func, FunctionValue):
        run.call(decorator, [cls], {}, at)


def _wrapped(run: Run, decorator: FunctionValue, function: Value, at: ast.AST) -> Value:
    """Calls a decorator; only the function it returns matters, so few calls inside the decorator are entered.

    All are where the top level of files is run for its effects (`registries`).
    """
    before = run.budget.looks_aside, run.entering.decorates
    run.budget.looks_aside, run.entering.decorates = False, run.entering.deep is not EVERYTHING
    wrapped = run.enter(decorator, [function], {}, at, force=True)
    run.budget.looks_aside, run.entering.decorates = before
    return wrapped


def hands_back(run: Run, source: FunctionSource, given: Value) -> bool:
    """Whether a decorator returns the function that it is given, as one that registers functions does.

    A decorator of the same file has to run: it may put the function into a table that the file looks it up in. One of
    a function inside another has to as well: what it is put into was made by this run.
    """
    return (
        isinstance(given, FunctionValue)
        and given.frame is None
        and given.source.module is not source.module
        and run.program.hands_back(source)
    )


def leaves_to_heirs(function: FunctionValue) -> bool:
    """Whether a method is abstract, with a body that does nothing: what it returns is up to a subclass."""
    source = function.source
    return does_nothing(source.node) and (
        (source.owner is not None and is_not_implemented(source.node))
        or any(
            isinstance(one, Symbol) and one.dotted == "abc.abstractmethod" for one in function.decorated or ()
        )
    )
