"""Applies summaries at calls of the project's functions; builds and calls objects of the project's classes."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..resolve import binding
from . import construct, effects
from .arguments import SPREAD, Call, hooked, unknown
from .atoms import (
    EVERYWHERE,
    EVIDENT,
    HELD,
    NOTHING,
    RECORDED,
    WEAK,
    Box,
    Cell,
    Class,
    Function,
    Layer,
    Method,
    Object,
    Partial,
    Store,
    cells,
    united,
)
from .records import fields, is_record

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource
    from .atoms import Atoms
    from .expressions import Scope
    from .summaries import Prefilter


def of_function(function: Function, made: Call) -> Atoms:
    scope = made.scope
    if function.receiver is not None:
        made = made.after([function.receiver])
    if scope.dry:
        return scope.prefilter.builds(function, made)
    source = function.source
    declared = scope.prefilter.declared.of(source)
    if declared is not None:
        return effects.apply(scope, declared, made.args, made.nodes, made.kwargs, made.named, proves=True)
    if function.names is not None or isinstance(source.node, ast.Lambda):
        return scope.prefilter.inline(function, made)
    arguments = bind(source, made)
    scope.draws = scope.draws or source.is_generator
    if source.module is not scope.module and scope.prefilter.trains(source.module):
        scope.trained = True
    return _apply(scope, source, arguments)


def bind(source: FunctionSource, made: Call) -> dict[str, Atoms]:
    """Binds the arguments of a call to the function's parameters."""
    given = binding.bind(source, made.args, made.kwargs)
    arguments = source.node.args
    if given.spare and arguments.vararg is not None:
        given.named[arguments.vararg.arg] = (Box([*given.spare]),)
    if given.options and arguments.kwarg is not None:
        given.named[arguments.kwarg.arg] = (Box([*given.options.values()], ordered=False),)
    if SPREAD in given.options:
        given.named.update((parameter.arg, given.options[SPREAD]) for parameter in given.missing)
    return given.named


def _apply(scope: Scope, source: FunctionSource, arguments: dict[str, Atoms]) -> Atoms:
    """Applies the callee's summary to the arguments, and returns its result."""
    summary = scope.prefilter.of(source)
    given = [cell.store for value in arguments.values() for cell in cells(value)]
    level = WEAK
    if any(store.evident for store in given):
        level = EVIDENT
    if summary.weak and scope.recording and (source.owner or not given or any(s.grad for s in given)):
        scope.doubt(level)
    if summary.steps:
        scope.step()
        if scope.remembers and scope.recording:
            scope.doubt(level)
    for key in summary.writes:
        reaches = reached(scope, arguments, key)
        if key not in summary.tensors:  # it may replace elements of a list, which writes none of them
            whole = _held_under(scope, arguments, key)
            reaches = [cell for cell in reaches if cell in whole]
        for cell in reaches:
            if key in summary.tensors:
                cell.store.prove()
            if scope.recording and summary.suspicious and key in summary.saves & summary.recorded:
                scope.doubt(level, cell.store)  # whether the two can be one tensor depends on the arguments
            scope.write(cell, scope.recording and key in summary.recorded, key not in summary.recorded)
            if scope.recording and key in summary.recorded and any(store.grad for store in given):
                cell.store.grad = True
    if scope.recording:
        for key in summary.saves:
            for cell in reached(scope, arguments, key):
                scope.save(cell.store, level)
        if summary.writes:
            _doubt_same(scope, source, arguments, level)
    known: dict[object, Atoms] = {}
    sure = level == EVIDENT
    for key, name, value in summary.kept:
        _keep_in(scope, arguments.get(key, NOTHING), name, returned(scope, value, arguments, sure, known))
    for key, value in summary.fills:
        _fill(scope, _held_under(scope, arguments, key), returned(scope, value, arguments, sure, known))
    if source.gives_plain():
        return NOTHING
    return returned(scope, summary.returns, arguments, sure, known)


def _doubt_same(scope: Scope, source: FunctionSource, arguments: dict[str, Atoms], level: int) -> None:
    """Note a finding if one tensor is passed as two parameters, one that is saved and one that is written."""
    summary = scope.prefilter.of(source)
    given = {name: {cell.store for cell in cells(value)} for name, value in arguments.items() if value}
    for name in summary.writes & given.keys():
        for other, stores in given.items():
            shared = stores & given[name] if other != name else ()
            if shared and other in summary.saves:
                for store in shared:
                    scope.doubt(level, store)


def _keep_in(scope: Scope, target: Atoms, name: str, value: Atoms) -> None:
    """Applies the callee's assignment to an attribute of an argument."""
    for atom in target:
        if isinstance(atom, Object):
            if scope.arms and atom.given and name not in atom.slots and cells(value):
                # On paths without the call, the attribute keeps its old value.
                before = Store(given=f"{atom.given}.{name}")
                before.sources = ()
                atom.slots[name] = (Cell(before),)
            atom.slots[name] = united([atom.slots.get(name, NOTHING), value])
        elif isinstance(atom, Cell):
            members = atom.store.opened()
            members[name] = united([members.get(name, NOTHING), value])


def _held_under(scope: Scope, arguments: dict[str, Atoms], key: str) -> Atoms:
    """The argument that a key names: a parameter (`x`), or an attribute of the receiver (`self.x`)."""
    name, dot, attribute = key.partition(".")
    value = arguments.get(name, NOTHING)
    return scope.prefilter.attribute(scope, value, attribute) if dot and value else value


def _fill(scope: Scope, target: Atoms, value: Atoms) -> None:
    """Applies a callee's unfollowed store of a value into an argument: the argument may hold it anywhere."""
    value = _few(value)
    for holder in {atom.receiver if isinstance(atom, Method) else atom: None for atom in target}:
        if isinstance(holder, Box):
            holder.items.append(value)
            holder.ordered = False
            scope.fill(holder.given, value)
        elif isinstance(holder, Object):
            holder.held = _few(united([holder.held, value]))
            holder.slots = {
                name: united([held, value]) if cells(held) else held for name, held in holder.slots.items()
            }
        elif isinstance(holder, Cell):
            members = holder.store.opened()
            members[HELD] = _few(united([members.get(HELD, NOTHING), value]))
            scope.fill(holder.store.given, value)
        elif isinstance(holder, Function) and holder.names is not None:
            scope.prefilter.inline(holder, Call(scope, [value], {}, [None], {}, True))


#: Above this many values, they are merged into one, which only keeps whether any was saved.
_MOST_HELD = 8


def _few(value: Atoms) -> Atoms:
    """The value with at most `_MOST_HELD` atoms."""
    if len(value) <= _MOST_HELD:
        return value
    one = Store(tensor=True)
    one.saved = tuple(
        {save[1]: (EVERYWHERE, save[1]) for cell in cells(value) for save in cell.store.saved}.values()
    )
    return (Cell(one),)


def returned(
    scope: Scope,
    value: Atoms,
    arguments: dict[str, Atoms],
    sure: bool,
    known: dict[object, Atoms],
    depth: int = 3,
) -> Atoms:
    """Translates a value of a summary into the caller's terms; `sure`: an argument requires grad for certain.

    `known` holds the parts translated so far, so that a tensor held in two places stays one tensor.
    """
    found: list[Atoms] = []
    for atom in value:
        here = known.get(atom)
        if here is None:
            if isinstance(atom, Cell):
                here = known[atom] = _returned_cell(scope, atom, arguments, sure, known)
            elif isinstance(atom, Box) and depth:
                box = Box([], atom.ordered, atom.role, atom.fields)
                here = known[atom] = (box,)
                box.items = [returned(scope, item, arguments, sure, known, depth - 1) for item in atom.items]
            elif isinstance(atom, Object) and not atom.given:
                obj = Object(atom.source)
                obj.arguments, obj.hooks = atom.arguments, atom.hooks
                here = known[atom] = (obj,)
                if depth and not construct.is_module(scope, atom.source):  # an object that holds results
                    for name, held in atom.slots.items():
                        obj.slots[name] = returned(scope, held, arguments, sure, known, depth - 1)
                    obj.arguments = {
                        name: returned(scope, held, arguments, sure, known, depth - 1)
                        if isinstance(held, tuple)
                        else held
                        for name, held in atom.arguments.items()
                    }
            else:
                here = (atom,)
        found.append(here)
    return found[0] if len(found) == 1 else united(found)


def _returned_cell(
    scope: Scope, cell: Cell, arguments: dict[str, Atoms], sure: bool, known: dict[object, Atoms]
) -> Atoms:
    store = cell.store
    fragile = cell.fragile if scope.recording or not cell.fragile else max(cell.fragile, RECORDED)
    if store.given:
        here = _once(reached(scope, arguments, store.given))
        found = [Cell(c.store, max(c.fragile, fragile), c.without) for c in here]
    elif store in known:
        found = [Cell(c.store, fragile) for c in cells(known[store])]
    else:
        copy = Store(store.grad, tensor=store.tensor, leaf=store.leaf)
        copy.parted = store.parted
        copy.saved = tuple([(arms, EVIDENT) for arms, _ in store.saved]) if sure else store.saved
        scope.remembers = scope.remembers or bool(store.saved)
        copy.evident, copy.sources = sure or store.evident, _sources(scope, store, arguments)
        found = [Cell(copy, fragile)]
        known[store] = (found[0],)
    return tuple(found)


def _sources(scope: Scope, store: Store, arguments: dict[str, Atoms]) -> tuple[Store, ...] | None:
    """Translates `Store.sources` into the caller's terms; None if the arguments show that it is a tensor."""
    found: dict[Store, None] = {}
    seen = {store}
    pending = [store]
    while pending:
        source = pending.pop()
        if source.sources is None:
            return None
        if source.given:
            found.update((cell.store, None) for cell in reached(scope, arguments, source.given))
        pending += [one for one in source.sources if one not in seen]
        seen.update(source.sources)
    return tuple(found)


def reached(scope: Scope, arguments: dict[str, Atoms], key: str) -> list[Cell]:
    """The tensors that a key (`x` or `self.x`) stands for in a call."""
    name, dot, member = key.partition(".")
    value = arguments.get(name, NOTHING)
    if not dot:
        return _within(scope, value)
    found: list[Cell] = []
    for atom in value:
        if isinstance(atom, Object):
            found.extend(cells(construct.of_object(scope, atom, member)))
        elif isinstance(atom, Cell) and atom.store.members is not None and member in atom.store.members:
            found.extend(cells(atom.store.members[member]))
    return found


def _once(found: list[Cell]) -> list[Cell]:
    """The cells without duplicates of the same view."""
    return list({(cell.store, cell.fragile, cell.without): cell for cell in found}.values())


def _within(scope: Scope, value: Atoms) -> list[Cell]:
    """The tensors that a value is or holds, or that a call of it may use (closure names, bound arguments)."""
    found = cells(value)
    for atom in value:
        holder = atom.receiver if isinstance(atom, Method) else atom
        if isinstance(holder, Object) and not construct.is_module(scope, holder.source):
            held = [holder.held, *holder.slots.values(), *holder.arguments.values()]
            found += [cell for one in held if isinstance(one, tuple) for cell in cells(one)]
        elif isinstance(holder, Function):
            around = [name for names in holder.names or () for name in names.items()]
            found += [
                cell for name, held in around if holder.source.mentions(name.encode()) for cell in cells(held)
            ]
            found += _within(scope, holder.receiver or NOTHING)
        elif isinstance(holder, Partial):
            found += [c for held in (*holder.args, *holder.kwargs.values()) for c in cells(held)]
    return _once(found)


def of_class(cls: Class, made: Call) -> Atoms:
    obj = Object(cls.source)
    init = construct.find_method(made.scope, cls.source, "__init__")
    if init is not None and not is_record(made.scope, cls.source):
        obj.arguments.update(bind(init.source, made.after([NOTHING])))
        if not made.scope.dry and _holds_in_place(obj):
            _try_out(obj, made)
    elif made.args or made.kwargs:
        names = fields(made.scope, cls.source)
        obj.slots.update(zip(names, made.args))
        obj.slots.update(made.kwargs)
        for name in names[len(made.args) :]:
            if name not in made.kwargs:
                _fill_field(made.scope, obj, name)
    return (obj,)


def _fill_field(scope: Scope, obj: Object, name: str) -> None:
    """Fills a field of a dataclass that has a `default_factory`: `name: dict = field(default_factory=dict)`."""
    stated = obj.source.assignments.get(name)
    for keyword in stated.keywords if isinstance(stated, ast.Call) else ():
        if keyword.arg == "default_factory":
            factory = construct.Scope(scope.prefilter, obj.source.module).value(keyword.value)
            obj.slots[name] = scope.prefilter.call(factory, Call(scope, [], {}, [], {}, True))


def _holds_in_place(obj: Object) -> bool:
    """Whether an argument of the constructor is, or builds, a layer with `inplace=`."""
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
    """Runs the forward of a module that gets an in-place layer, since its call may not be in sight."""
    forward = construct.find_method(made.scope, obj.source, "forward")
    if forward is not None:
        given: list[Atoms] = [(Cell(Store()),) for _ in forward.source.parameters[1:]]
        nodes: list[ast.expr | None] = [None] * (len(given) + 1)
        made.scope.prefilter.inline(forward, Call(made.scope, [(obj,), *given], {}, nodes, {}, True))


#: Maximum rows of a `forward` that only wraps another module.
_WRAPPER = 12


def _calls_what_it_was_given(scope: Scope, obj: Object, forward: FunctionSource) -> bool:
    """Whether a short `forward` calls an attribute that holds a constructor argument: then it is inlined."""
    node, init = forward.node, obj.source.methods.get("__init__")
    if init is None or not obj.arguments or (node.end_lineno or 0) - node.lineno > _WRAPPER:
        return False
    return any(
        name.startswith(".")
        and forward.mentions(f"{name}(".encode())
        and any(isinstance(value, ast.Name) and value.id in obj.arguments for _, value, _ in entries)
        for name, entries in scope.prefilter.assigned(init).names.items()
    )


def of_object(obj: Object, made: Call) -> Atoms:
    for name in ("forward", "__call__"):
        found = construct.find_method(made.scope, obj.source, name)
        if found is not None:
            if made.scope.recording and construct.is_module(made.scope, obj.source):
                made.scope.remembers = True  # its layers save their weights
            if not made.scope.dry and _calls_what_it_was_given(made.scope, obj, found.source):
                within = made.after([(obj,)])
                return hooked(obj, made, made.scope.prefilter.inline(Function(found.source), within))
            return hooked(obj, made, of_function(Function(found.source, (obj,)), made))
    own = construct.part(made.scope, obj)
    return hooked(obj, made, made.scope.prefilter.call(own, made)) if own else unknown(made)


#: Limits: nesting of containers searched for in-place modules; alternatives that the module may be.
_BOXES = 3
_KINDS = 2


def builds_in_place(prefilter: Prefilter, returned: Atoms) -> bool:
    """Whether a function returns a module that may write its input when it is called.

    With more than `_KINDS` alternatives, as when a name selects the activation, the answer is False: an exact run could
    not tell which one it is.
    """
    return len(returned) <= _KINDS and _works_in_place(prefilter, returned, _BOXES)


def _works_in_place(prefilter: Prefilter, value: Atoms, depth: int) -> bool:
    """Whether a call of a value, a module or a container of modules, may write its input."""
    for atom in value:
        if isinstance(atom, Layer):
            found = "inplace" in atom.config
        elif isinstance(atom, Object):
            forward = prefilter.classes.method(atom.source, "forward")
            found = forward is not None and prefilter.writes_tensor(forward)
        elif isinstance(atom, Box) and depth:
            # In a sequence only the first layer gets the input itself; later layers usually get new tensors.
            items = atom.items[:1] if atom.role == "Sequential" and atom.ordered else atom.items
            found = any(_works_in_place(prefilter, item, depth - 1) for item in items)
        else:
            found = False
        if found:
            return True
    return False
