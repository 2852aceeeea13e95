"""Decorators: what they make of a function, and in which grad mode it then runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel.spelling import MODES
from . import calls, symbols
from .values import FunctionValue, Mode, Native, Scalar, Symbol, Unknown, Value, flatten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.module import FunctionSource
    from .run import Run
    from .values import ClassValue


def decorated(run: Run, function: FunctionValue, decorators: Sequence[Value], at: ast.AST) -> Value:
    """The value that a function has once its decorators are applied, innermost first."""
    result: Value = function
    for decorator in reversed(decorators):
        if isinstance(decorator, Symbol) and decorator.dotted in MODES:
            decorator = symbols.mode(decorator.dotted, [], {})
        if isinstance(decorator, (FunctionValue, Native)) and isinstance(result, FunctionValue):
            if isinstance(decorator, FunctionValue) and decorator.source not in run.entering.active:
                wrapped = _wrapped(run, decorator, result, at)
            else:
                wrapped = calls.call(run, decorator, [result], {}, at)
            if isinstance(wrapped, FunctionValue):
                wrapped.cls = result.cls
                result = wrapped
                continue
        if isinstance(result, FunctionValue):
            result.decorated = [*(result.decorated or ()), decorator]
        elif not isinstance(decorator, (Mode, Symbol)):
            return Unknown()
    return result


def of_class(run: Run, decorator: Value, cls: ClassValue, at: ast.AST) -> None:
    """What a decorator does with a class: it may put it where others look it up. The class is taken for what it was."""
    if isinstance(decorator, FunctionValue) and decorator.source not in run.entering.active:
        _wrapped(run, decorator, cls, at)


def _wrapped(run: Run, decorator: FunctionValue, function: Value, at: ast.AST) -> Value:
    """What a decorator makes of a function: who that is matters, and not what else the decorator computes."""
    before = run.budget.looks_aside, run.entering.decorates
    run.budget.looks_aside, run.entering.decorates = False, True
    wrapped = calls.enter(run, decorator, [function], {}, at, force=True)
    run.budget.looks_aside, run.entering.decorates = before
    return wrapped


def apply_mode(run: Run, decorator: Value) -> None:
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
