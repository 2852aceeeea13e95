"""Calls of the project's own: of its functions by their summaries, of its classes and objects."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import construct, effects, lent, postponed
from .atoms import (
    EVIDENT,
    NOTHING,
    WEAK,
    Box,
    Cell,
    Class,
    Function,
    Layer,
    Object,
    Partial,
    Store,
    cells,
    united,
)
from .calls import Call, call, hooked, unknown

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .atoms import Atom, Sketched
    from .expressions import Scope


def of_function(function: Function, made: Call) -> Sketched:
    scope = made.scope
    if function.receiver is not None:
        made = made.after([function.receiver])
    if scope.dry:
        return scope.sketches.builds(function, made)
    source = function.source
    declared = scope.sketches.declared.of(source)
    if declared is not None:
        return effects.apply(scope, declared, made.args, made.nodes, made.kwargs, made.named, proves=True)
    if function.names is not None or isinstance(source.node, ast.Lambda):
        return scope.sketches.inline(function, made)
    arguments = bind(source, made)
    if source.module is not scope.module and scope.sketches.trains(source.module):
        scope.trained = True
    first = function.receiver is not None
    for name in arguments:
        if not first:
            for atom in arguments[name]:
                if type(atom) is Object and not atom.given and lent.asks_to_write(scope, source, name, atom):
                    return scope.sketches.inline(function, made)
        first = False
    if not scope.sketches.may_write(source):
        scope.puts_off(source)
        return postponed.put_off(source, arguments, made)
    return _apply(scope, source, arguments)


def bind(source: FunctionSource, made: Call) -> dict[str, Sketched]:
    """The arguments of a call by the parameters of the function."""
    bound: dict[str, Sketched] = {}
    positional = source.parameters
    for parameter, value in zip(positional, made.args):
        bound[parameter.arg] = value
    arguments = source.node.args
    if len(made.args) > len(positional) and arguments.vararg is not None:
        bound[arguments.vararg.arg] = (Box(made.args[len(positional) :]),)
    if not made.kwargs:
        return bound
    rest: list[Sketched] = []
    names = {p.arg for p in positional} | {p.arg for p in arguments.kwonlyargs}
    for name, value in made.kwargs.items():
        if name in names:
            bound[name] = value
        else:
            rest.append(value)
    if rest and arguments.kwarg is not None:
        bound[arguments.kwarg.arg] = (Box(rest, ordered=False),)
    return bound


def _apply(scope: Scope, source: FunctionSource, arguments: dict[str, Sketched]) -> Sketched:
    """The effects of a call on what it was given, and its result."""
    summary = scope.sketches.of(source)
    given = [cell.store for value in arguments.values() for cell in cells(value)]
    level = WEAK
    if any(effects.is_evident(scope, store) for store in given):
        level = EVIDENT
    if summary.weak and scope.recording and (source.owner or not given or any(s.grad for s in given)):
        scope.doubt(level)
    if summary.steps:
        scope.step()
        if scope.remembers and scope.recording:
            scope.doubt(level)
    for key in summary.writes:
        for cell in postponed.reached(scope, arguments, key, meets=not scope.loops):
            if key in summary.tensors:
                cell.store.prove()
            scope.write(cell, scope.recording and key in summary.recorded, key not in summary.recorded)
            if scope.recording and key in summary.recorded and any(store.grad for store in given):
                cell.store.grad = True
    if scope.recording:
        if summary.saves or summary.handed:
            postponed.hand_objects(scope, (source, arguments, True))
        for key in summary.saves:
            for cell in postponed.reached(scope, arguments, key, known=True):
                scope.save(cell.store, level)
        for key, callee, parameter in summary.handed:
            for cell in postponed.reached(scope, arguments, key, known=True):
                postponed.hand(scope, cell, (callee, {}, True), parameter, Store())
        if summary.writes:
            _doubt_same(scope, source, arguments, level)
    for key, name, value in summary.kept:
        _keep_in(
            scope, arguments.get(key, NOTHING), name, returned(scope, value, arguments, level == EVIDENT)
        )
    if source.gives_plain():
        return NOTHING
    return returned(scope, summary.returns, arguments, level == EVIDENT)


def _doubt_same(scope: Scope, source: FunctionSource, arguments: dict[str, Sketched], level: int) -> None:
    """One tensor was given as two arguments, of which the function saves one and writes the other."""
    summary = scope.sketches.of(source)
    given = {name: {cell.store for cell in cells(value)} for name, value in arguments.items() if value}
    for name in summary.writes & given.keys():
        for other, stores in given.items():
            shared = stores & given[name] if other != name else ()
            if shared and postponed.saves(scope.sketches, source, other):
                for store in shared:
                    scope.doubt(level, store)


def _keep_in(scope: Scope, target: Sketched, name: str, value: Sketched) -> None:
    """A function left a value in an attribute of what it was given."""
    for atom in target:
        if isinstance(atom, Object):
            if scope.arms and atom.given and name not in atom.slots and cells(value):
                # Where the call is not made, it holds what it held before.
                before = Store(given=f"{atom.given}.{name}")
                before.sources = ()
                atom.slots[name] = (Cell(before),)
            atom.slots[name] = united([atom.slots.get(name, NOTHING), value])
        elif isinstance(atom, Cell):
            members = atom.store.opened()
            members[name] = united([members.get(name, NOTHING), value])


def returned(
    scope: Scope,
    value: Sketched,
    arguments: dict[str, Sketched],
    sure: bool,
    depth: int = 3,
    known: dict[Atom, Sketched] | None = None,
) -> Sketched:
    """What a summary returns, in the terms of a call; `sure`: an argument requires grad for certain.

    `known` are the parts that were translated before: what is held in several places is one thing.
    """
    if known is None:
        known = {}
    found: list[Sketched] = []
    for atom in value:
        here = known.get(atom)
        if here is None:
            if isinstance(atom, Cell):
                here = known[atom] = _returned_cell(scope, atom, arguments, sure)
            elif isinstance(atom, Box) and depth:
                box = Box([], atom.ordered, atom.role, atom.fields)
                here = known[atom] = (box,)
                box.items = [returned(scope, item, arguments, sure, depth - 1, known) for item in atom.items]
            else:
                here = (atom,)
        found.append(here)
    return found[0] if len(found) == 1 else united(found)


def _returned_cell(scope: Scope, cell: Cell, arguments: dict[str, Sketched], sure: bool) -> Sketched:
    found: list[Cell] = []
    store = cell.store
    if store.given:
        here = postponed.reached(scope, arguments, store.given)
        found = [Cell(c.store, max(c.fragile, cell.fragile), c.without) for c in here]
    if not store.given or store.saved:
        copy = Store(store.grad, tensor=store.tensor, leaf=store.leaf)
        copy.saved, copy.parted, copy.passed = store.saved, store.parted, [*store.passed]
        copy.arms = store.arms
        scope.remembers = scope.remembers or bool(store.saved or store.passed)
        copy.evident, copy.sources = sure or effects.is_evident(scope, store), store.sources
        found.append(Cell(copy, cell.fragile, cell.without))
    return tuple(found)


def of_class(cls: Class, made: Call) -> Sketched:
    obj = Object(cls.source)
    init = construct.find_method(made.scope, cls.source, "__init__")
    if init is not None:
        obj.arguments.update(bind(init.source, made.after([NOTHING])))
        if not made.scope.dry and _holds_in_place(obj):
            _try_out(obj, made)
    elif made.args or made.kwargs:
        obj.slots.update(zip(construct.fields(made.scope, cls.source), made.args))
        obj.slots.update(made.kwargs)
    return (obj,)


def _holds_in_place(obj: Object) -> bool:
    """Whether it is built of what builds, or is, a module that is told to work in place."""
    for name in obj.arguments:
        value = obj.arguments[name]
        if type(value) is tuple:
            for atom in value:
                if type(atom) is Partial and "inplace" in atom.kwargs:
                    return True
                if type(atom) is Layer and "inplace" in atom.config:
                    return True
    return False


def _try_out(obj: Object, made: Call) -> None:
    """Run the forward of a module that is built here of such a part, and perhaps called nowhere."""
    forward = construct.find_method(made.scope, obj.source, "forward")
    if forward is not None:
        given: list[Sketched] = [(Cell(Store()),) for _ in forward.source.parameters[1:]]
        nodes: list[ast.expr | None] = [None] * (len(given) + 1)
        made.scope.sketches.inline(forward, Call(made.scope, [(obj,), *given], {}, nodes, {}, True))


def of_object(obj: Object, made: Call) -> Sketched:
    for name in ("forward", "__call__"):
        found = construct.find_method(made.scope, obj.source, name)
        if found is not None:
            return hooked(obj, made, of_function(Function(found.source, (obj,)), made))
    own = construct.part(made.scope, obj)
    return hooked(obj, made, call(own, made)) if own else unknown(made)
