"""Resolves a name to its value by the scopes of Python: local, enclosing function, module, import, builtin."""

from __future__ import annotations

import ast
import math
import string
import sys
from typing import TYPE_CHECKING

from ..prefilter.source_words import takes_backward
from ..syntax.lower import lower_body, lower_expression
from ..syntax.module import ClassSource, FunctionSource, Module
from ..syntax.nodes import asks_for_main, bound_names, first_name
from ..torchmodel import table
from . import decorators, registries, wrapped_results
from .budget import EVERYTHING, Budget, OutOfBudget
from .class_value import ClassValue
from .frames import Frame, State
from .guards import ALWAYS
from .values import ABSENT, Constant, FunctionValue, Instance, Symbol, Unknown, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..resolve.names import Definition
    from .run import Run

#: Constants of modules of Python.
_NUMBERS: dict[str, object] = {
    **{f"math.{name}": getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")},
    **{
        f"string.{name}": getattr(string, name)
        for name in ("ascii_letters", "ascii_lowercase", "ascii_uppercase", "digits")
    },
    "sys.maxsize": sys.maxsize,
    "typing.TYPE_CHECKING": False,
}
#: Kinds of values that do not depend on the run, so that all runs share them.
_THE_SAME = (Symbol, ClassValue, Constant)


def load(run: Run, name: str) -> Value:
    """The value of a name where the run stands; ABSENT for a local one that is not bound here."""
    frame: Frame | None = run.frame
    while frame is not None:
        value = run.state.get((frame.uid, name))
        if value is not None:
            return value
        if frame is run.frame and frame.scope is not None and name in frame.scope[0]:
            return ABSENT
        name = frame.renamed.get(name, name)
        frame = frame.enclosing
    name = name.partition("@")[0]
    module_frame = run.top_levels.frames.get(run.frame.module.filename)
    if module_frame is not None:
        value = run.state.get((module_frame.uid, name))
        if value is not None:
            return value
    value = run.state.get((run.frame.module, name))  # a function of this run has bound it
    return of_module(run, run.frame.module, name) if value is None else value


def store(run: Run, name: str, value: Value) -> None:
    """Bind a name in the scope that Python would bind it in."""
    frame = run.frame
    if frame.scope is not None and name in frame.scope[1]:
        outer = frame.enclosing
        while outer is not None:
            if outer.scope is not None and name in outer.scope[0]:
                run.state.slots[(outer.uid, name)] = value
                return
            outer = outer.enclosing
        module_frame = run.top_levels.frames.get(frame.module.filename)
        if module_frame is not None:
            run.state.slots[(module_frame.uid, name)] = value
        else:
            key = (frame.module, name)
            if run.builds:
                run.top_levels.globals = dict(run.top_levels.globals)  # keep the change from other runs
            else:
                run.bottom().slots.setdefault(key, of_module(run, *key))
                run.state.slots[key] = value
            run.top_levels.globals[key] = Unknown()
            kept = run.tensors_within(value)
            run.heap.escape(kept, run.path)
            run.handed.given.update(tensor.storage for _, tensor in kept)
        return
    run.state.slots[(frame.uid, name)] = wrapped_results.in_place(run, (frame.uid, name), value)


def of_module(run: Run, module: Module, name: str) -> Value:
    """The value that the top level of a file binds to a name, or the builtin; Unknown if it is not known.

    Its `__dict__` is the module itself, whose entries are asked for as attributes are (`dynamic_names.entry`).
    """
    if name == "__dict__":
        return ModuleValue(module)
    key = (module, name)
    value = run.top_levels.globals.get(key)
    if value is None:
        known = run.program.known_names
        value = known.get(key)
        if value is None:
            run.top_levels.globals[key] = Unknown()  # ends cycles of imports and of assignments
            value = _find(run, module, name)
            if type(value) in _THE_SAME:
                known[key] = value
        if isinstance(value, Instance) and value.bound_to is None:
            value.bound_to = key
        run.top_levels.globals[key] = value
    return value


def _find(run: Run, module: Module, name: str) -> Value:
    if name in module.multiple and name not in module.functions and name not in module.classes:
        return _of_statements(run, module, name)
    return _value(run, run.program.names.definition(module, name), module, name)


#: Limits of the statements that are run for the value of one name: how many, and how many rows they take.
_BINDING, _ROWS = 8, 60


def _of_statements(run: Run, module: Module, name: str) -> Value:
    """The value of a name that several statements, or a loop, a `with` or a `try`, bind: what running them leaves."""
    statements = _binding(module).get(name, [])
    together = _made_by_one_call(module, statements)
    if together:
        return _made_together(run, module, name, together, statements)
    texts = [module.text(one.lineno, one.end_lineno or one.lineno) for one in statements]
    rows = sum(text.count(b"\n") + 1 for text in texts)
    if len(statements) > _BINDING or rows > _ROWS or any(map(takes_backward, texts)):
        return Unknown()  # a loop that trains is run with the whole of the top level alone

    def action() -> Value:
        run.block(lower_body(statements))
        return run.state.get((run.frame.uid, name)) or Unknown()

    budget, run.budget = run.budget, Budget(0)  # the run that asks for the name does not pay
    try:
        return apart(run, module, action)
    except OutOfBudget:
        return Unknown()
    finally:
        run.budget = budget


def _made_by_one_call(module: Module, statements: list[ast.stmt]) -> list[str]:
    """The names that one call alone binds, `build, register = make_registry("model")`; empty for anything else."""
    statement = statements[0] if len(statements) == 1 else None
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return []
    targets = statement.targets[0].elts if isinstance(statement.targets[0], ast.Tuple) else []
    found = [one.id for one in targets if isinstance(one, ast.Name)]
    once = all(_binding(module).get(one) == statements for one in found)
    return found if once and len(found) == len(targets) and len(statement.targets) == 1 else []


def _made_together(
    run: Run, module: Module, name: str, names: list[str], statements: list[ast.stmt]
) -> Value:
    """The value of one of several names that one call binds, which is made once for all runs: they belong together.

    Where they are closures, what the top level of files gives one of them to store is found by the others.
    """
    known = run.program.built
    if (module, names[0]) not in known.filled:

        def make(maker: Run) -> Value:
            def action() -> Value:
                maker.block(lower_body(statements))
                made = [maker.state.get((maker.frame.uid, one)) or Unknown() for one in names]
                maker.top_levels.globals.update(((module, one), value) for one, value in zip(names, made))
                if any(isinstance(one, FunctionValue) and one.frame is not None for one in made):
                    registries.fill(maker, registries.of_closures(maker, module, names))
                return made[0]

            return apart(maker, module, action)

        registries.built(run, module, names[0], make)
    if known.filled[module, names[0]] is None:
        return Unknown()
    return known.names.get((module, name)) or Unknown()


def _binding(module: Module) -> dict[str, list[ast.stmt]]:
    """By name, the statements of a file's top level that bind it, but for the part that runs as a script alone."""
    found = module.memo.binding
    if found is None:
        found = module.memo.binding = {}
        for statement in module.tree.body:
            names: set[str] = set()
            if not (isinstance(statement, ast.If) and asks_for_main(statement.test)):
                bound_names([statement], names, set())
            for name in names:
                found.setdefault(name, []).append(statement)
    return found


def imported(run: Run, module: Module, name: str, member: str | None, level: int) -> Value:
    """The value that `from name import member`, or `import name`, binds."""
    return _value(run, run.program.names.imported(module, name, member, level), module)


def of_dotted(run: Run, dotted: str, name: str) -> Value:
    """The attribute `name` of a module or class outside the project."""
    if name == "__name__" and (table.module(dotted) is not None or table.function(dotted) is not None):
        return Constant(dotted.rpartition(".")[2])
    if name == "__dict__":
        return Symbol(dotted)
    module = run.frame.module
    return _value(run, run.program.names.attribute(module, dotted, name), module)


def _value(run: Run, found: Definition | None, module: Module, name: str = "") -> Value:
    """The value of a definition that was found for `name` in `module`; no name: of an import."""
    if found is None:
        return Unknown()
    what = found.what
    if isinstance(what, str):
        return Constant(_NUMBERS[what]) if what in _NUMBERS else Symbol(what)
    if isinstance(what, Module):
        return ModuleValue(what)
    if (found.module, found.name) != (module, name):
        return of_module(run, found.module, found.name)
    if not found.sure:
        return Unknown()
    if isinstance(what, FunctionSource):
        return decorated(run, FunctionValue(what))
    if isinstance(what, ClassSource):
        cls = run.program.class_value(what)
        if not cls.bases and what.bases:
            cls.bases = [evaluate_in(run, module, base) for base in what.bases]
        return cls
    value = evaluate_in(run, module, what)
    return _filled(run, module, name, what, value) if name else value


def _filled(run: Run, module: Module, name: str, made_by: ast.expr, value: Value) -> Value:
    """The object that a file makes for a name, with what the top level of files puts into it."""
    registrations = registries.filled_by(run, module, name, value)
    if registrations is None:
        return registries.opened(run, value)
    if not registrations:
        registries.open_up(run, module, name, value)
        return value

    def make(maker: Run) -> Value:
        def action() -> Value:
            made = maker.top_levels.globals[module, name] = evaluate(maker, made_by)
            registries.fill(maker, registrations)
            return made

        return apart(maker, module, action)

    built = registries.built(run, module, name, make)
    return registries.opened(run, value) if built is None else built


def may_come_by_a_star(run: Run, node: ast.AST) -> bool:
    """Whether an expression begins with an unbound name that an `import *` from outside the project may bind."""
    name, module = first_name(node), run.frame.module
    return (
        name is not None
        and load(run, name) is run.top_levels.globals.get((module, name))
        and run.program.may_come_by_a_star(module, name)
    )


class ModuleValue(Value):
    """A module of the project as a value."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        self.module = module


def evaluate(run: Run, node: ast.expr) -> Value:
    """The value of an expression in the current frame."""

    instructions, register = lower_expression(node)
    saved = dict(run.frame.registers)
    run.block(instructions)
    value = run.frame.registers.get(register)
    run.frame.registers = saved
    return Unknown() if value is None else value


def decorated(run: Run, function: FunctionValue) -> Value:
    """What the decorators of a function at the top level, or of a method, make of it.

    Every call in them is entered, even of code that writes nothing.
    """
    source = function.source
    nodes = getattr(source.node, "decorator_list", ())
    if not nodes:
        return function
    deep, run.entering.deep = run.entering.deep, EVERYTHING
    with run.budget.building():
        try:
            values = [evaluate_in(run, source.module, node) for node in nodes]
        finally:
            run.entering.deep = deep
        return decorators.decorated(run, function, values, source.node)


def evaluate_in(run: Run, module: Module, node: ast.expr, bound: Mapping[str, Value] | None = None) -> Value:
    """The value of an expression at the top level of a file, independent of the path; `bound`: names of its own."""

    def action() -> Value:
        for name, value in (bound or {}).items():
            run.state.slots[(run.frame.uid, name)] = value
        return evaluate(run, node)

    return apart(run, module, action)


def apart(run: Run, module: Module, action: Callable[[], Value]) -> Value:
    """The result of an action in a new frame at the top level of a file, independent of the current path."""
    outer = (run.frame, run.state, run.path, run.grad, run.keeping.autocast, run.loops, run.trying.catching)
    decorates, run.entering.decorates = run.entering.decorates, False
    frame = Frame(run.uid(), module, None, None, None, None)
    run.frames[frame.uid] = frame
    base = run.bottom()
    overlay = State(run.state)
    run.frame, run.state, run.path, run.grad, run.keeping.autocast, run.loops, run.trying.catching = (
        frame,
        overlay,
        ALWAYS,
        "on",
        False,
        [],
        [],
    )
    try:
        value = action()
    finally:
        run.frame, run.state, run.path, run.grad, run.keeping.autocast, run.loops, run.trying.catching = outer
        run.entering.decorates = decorates
    # Elements and attributes of the objects that the evaluation built hold on every path.
    for key, made in overlay.slots.items():
        if not (isinstance(key, tuple) and key[0] == frame.uid):
            base.slots.setdefault(key, made)
    return value
