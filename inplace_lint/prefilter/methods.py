"""Evaluates method calls: on tensors (by the op table), modules, containers, and objects derived from `nn.Module`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import arrays, table
from . import effects, expressions
from .arguments import Later, unknown
from .atoms import (
    EVERYWHERE,
    EVIDENT,
    NOTHING,
    UNKNOWN,
    WEAK,
    Box,
    Cell,
    Class,
    Function,
    Layer,
    Method,
    Object,
    Store,
    Text,
    cells,
    united,
)
from .source_words import runs_backward

if TYPE_CHECKING:
    from .arguments import Call
    from .atoms import Atoms
    from .expressions import Scope


def of_method(atom: Method, made: Call) -> Atoms:
    """Calls a method that was looked up on a tensor, module, container or object."""
    receiver, name = atom.receiver, atom.name
    if isinstance(receiver, Cell):
        return _tensor_method(receiver, name, made)
    if isinstance(receiver, Layer):
        if name in _PARAMETERS:
            return (Box([(Cell(receiver.weights),)], ordered=False),)
        if name in _HOOKS and made.args and not made.scope.dry:
            receiver.hooks.append(made.args[0])
        return (receiver,) if table.gives_itself(name) else NOTHING
    if isinstance(receiver, Box):
        return _box_method(receiver, name, made)
    if isinstance(receiver, Object):
        return _inherited(receiver, name, made)
    if isinstance(receiver, Class) and name == "apply" and not made.scope.dry:
        return _custom(made)
    if isinstance(receiver, (Function, Class)):
        return unknown(made)
    return NOTHING


def _custom(made: Call) -> Atoms:
    """`Function.apply(…)` of an autograd.Function: it may save its arguments and its results."""
    given = made.given()
    if not any(cell.store.grad for cell in given):
        return (Cell(Store(grad=False, tensor=True)),)
    result = Store(tensor=True)
    if made.scope.recording:
        level = EVIDENT if any(cell.store.evident for cell in given) else WEAK
        result.evident = level == EVIDENT
        for store in (*(cell.store for cell in given), result):
            made.scope.save(store, level)
    return (Cell(result), *given)


def _announce(receivers: tuple[Cell, ...], name: str, made: Call) -> None:
    """Notes a write that the method's name implies: `add_`, or a NumPy method that writes the array."""
    if name.endswith("_"):
        made.scope.overwrites(receivers)
    elif arrays.writes(name):
        for receiver in receivers:
            if receiver.store.under is not None:
                made.scope.write(receiver, False)


_PARAMETERS = frozenset("parameters named_parameters buffers named_buffers state_dict".split())
#: the subset that gives leaf tensors, of any module
_LEAVES = frozenset("parameters named_parameters state_dict".split())


def _tensor_method(receiver: Cell, name: str, made: Call) -> Atoms:
    if made.scope.dry:
        return UNKNOWN
    if name == "requires_grad_":
        receiver.store.leaf = receiver.store.grad = receiver.store.evident = True
        return (receiver,)
    if name in _LEAVES:
        return _leaves(name, made)
    _announce((receiver,), name, made)
    if receiver.store.sources is not None and name in made.scope.module.method_names():
        _hand_over(receiver, made)  # the receiver may be an object of a class with such a method
    op = None if name == "values" and receiver.store.sources is not None else table.method(name)  # a dict's
    if op is not None:
        args = [(receiver,), *made.args]
        return effects.apply(made.scope, op, args, made.nodes, made.kwargs, made.named, proves=True)
    if name.endswith("_") and receiver.store.tensor and table.names_op(name[:-1]):
        made.scope.doubt(EVIDENT, receiver.store)
    if name in ("items", "enumerate"):
        return (Box([(Box([NOTHING, (receiver,)]),)], ordered=False),)
    if name in ("values", "get", "pop"):
        return ((receiver,), (Box([(receiver,)], ordered=False),))[name == "values"]
    if table.returns_nontensor(name) or name in ("keys", "format", "join"):
        return NOTHING
    _hand_over(receiver, made)
    method = _only_method(made.scope, receiver, name)
    if method is not None:
        return made.scope.prefilter.call((method,), made)
    return _of(receiver, unknown(made))


def _hand_over(receiver: Cell, made: Call) -> None:
    """A method of an unknown object gets values: it may keep them."""
    for value in (*made.args, *made.kwargs.values()):
        made.scope.fill(receiver.store.given, value)


def _of(receiver: Cell, result: Atoms) -> Atoms:
    """Marks the result of an unknown method as possibly a part of its receiver."""
    given = receiver.store.given or receiver.store.part_of
    for atom in result if given else ():
        if isinstance(atom, Cell):
            atom.store.part_of = given
    return result


def _only_method(scope: Scope, receiver: Cell, name: str) -> Function | None:
    """The method, if exactly one class of the file has one of this name: the receiver may be its object."""
    module = scope.module
    if receiver.store.tensor or name not in module.method_names() or table.has_module(name):
        return None
    owners = [cls for cls in module.classes.values() if name in cls.methods]
    return Function(owners[0].methods[name], (Object(owners[0]),)) if len(owners) == 1 else None


def _leaves(name: str, made: Call) -> Atoms:
    """The result of `parameters()`; with `named_parameters`, as pairs."""
    store = Store(tensor=True, leaf=True)
    store.found = True
    if runs_backward(made.scope.module):
        store.saved = (
            (EVERYWHERE, EVIDENT),
        )  # the exact run decides whether a forward precedes their writes
    leaf: Atoms = (Cell(store),)
    return (Box([(Box([NOTHING, leaf]),) if name == "named_parameters" else leaf], ordered=False),)


def _box_method(box: Box, name: str, made: Call) -> Atoms:
    if name in ("append", "add", "appendleft", "insert", "setdefault", "add_module"):
        value = made.args[-1] if made.args else NOTHING
        box.items.append(value)
        made.scope.fill(box.given, value)
        made.scope.keep(value, made.nodes[-1] if made.nodes else None)
        box.ordered = box.ordered and name == "append" and made.scope.loops == 0
        return value
    if name in ("extend", "update"):
        for value in made.args:
            box.items.append(expressions.elements(made.scope, value))
            made.scope.fill(box.given, value)
        for value in made.kwargs.values():
            box.items.append(value)
            made.scope.fill(box.given, value)
        box.ordered = False
        return NOTHING
    if name in ("get", "pop", "popleft"):
        return united([box.element(), *made.args[1:]])
    if name in ("items", "named_children", "named_modules"):
        return (Box([(Box([NOTHING, box.element()]),)], ordered=False),)
    if name in ("values", "copy", "children", "modules"):
        return (Box(list(box.items), box.ordered, box.role, box.fields),)
    if name in _LEAVES:
        return _leaves(name, made)
    if table.gives_itself(name):
        return (box,)
    if name in _COUNTS:
        return NOTHING
    for value in made.args:  # `a.union(b)`, `c.extendleft(d)`: what is given may be in it from here on
        box.items.append(expressions.elements(made.scope, value))
    return (box, *box.element())


#: Methods of containers that give a number, or nothing of what is in them.
_COUNTS = frozenset(
    "clear count index isdisjoint issubset issuperset remove discard reverse rotate sort keys".split()
)


def _inherited(obj: Object, name: str, made: Call) -> Atoms:
    """Calls a method that the object inherits from nn.Module."""
    if name in _LEAVES:
        return _leaves(name, made)
    if name == "register_parameter" and len(made.args) > 1:
        return _keep(obj, made, Store(tensor=True, leaf=True, given=""))
    if name == "register_buffer" and len(made.args) > 1:
        return _keep(obj, made, Store(grad=False, tensor=True))
    if name in _HOOKS and made.args and not made.scope.dry:
        obj.hooks.append(made.args[0])
        return NOTHING
    if table.gives_itself(name):
        return (obj,)
    if name.endswith("_") and not made.scope.dry and (op := table.method(name)) is not None:
        # No such method: what is taken for the object may be a tensor that it was given.
        held = tuple(
            cell for value in obj.arguments.values() if not isinstance(value, Later) for cell in cells(value)
        )
        if held:
            return effects.apply(
                made.scope, op, [held, *made.args], made.nodes, made.kwargs, made.named, proves=True
            )
    if name == "__call__":
        return made.scope.prefilter.call((obj,), made)
    return unknown(made)


_HOOKS = frozenset(["register_forward_hook", "register_forward_pre_hook"])


def on_each(func: Atoms, made: Call) -> Atoms | None:
    """Calls one op on all alternatives of a receiver at once; None if they differ in kind or method."""
    first = func[0]
    if not isinstance(first, Method):
        return None
    name = first.name
    op = table.method(name)
    if op is None or name in ("requires_grad_", "values") or made.scope.dry:
        return None
    receivers: list[Cell] = []
    for atom in func:
        if not isinstance(atom, Method) or not isinstance(atom.receiver, Cell) or atom.name != name:
            return None
        receivers.append(atom.receiver)
    given = tuple(receivers)
    _announce(given, name, made)
    return effects.apply(
        made.scope, op, [given, *made.args], made.nodes, made.kwargs, made.named, proves=True
    )


def _keep(obj: Object, made: Call, store: Store) -> Atoms:
    name = made.args[0]
    if name and isinstance(name[0], Text):
        store.given = obj.given and f"{obj.given}.{name[0].value}"
        obj.slots[name[0].value] = (Cell(store),)
    return NOTHING
