"""Models names that Python or torch defines: containers of modules, builtins, grad modes, `torch.from_numpy`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel.spelling import MODES, NORMED
from . import attributes, expressions, functional
from .arguments import Call, unknown
from .atoms import NOTHING, UNKNOWN, Box, Cell, Object, Partial, Store, Symbol, Text, prove, shadow, united

if TYPE_CHECKING:
    from collections.abc import Callable

    from .atoms import Atoms


def _sequential(made: Call) -> Atoms:
    if len(made.args) == 1 and len(made.args[0]) == 1 and isinstance(made.args[0][0], Box):
        inner = made.args[0][0]
        items = [_named(item) for item in inner.items]
        return (Box(items, inner.ordered, "Sequential", inner.fields),)
    return (Box(list(made.args), made.exact, "Sequential"),)


def _named(item: Atoms) -> Atoms:
    """The module of a ("name", module) pair."""
    if len(item) == 1 and isinstance(item[0], Box) and not item[0].role and len(item[0].items) == 2:
        return item[0].items[1]
    return item


def _name(item: Atoms) -> str:
    """The name of a ("name", module) pair."""
    name = item[0].items[0] if len(item) == 1 and isinstance(item[0], Box) and item[0].items else NOTHING
    return name[0].value if name and isinstance(name[0], Text) else ""


def _modules(made: Call) -> Atoms:
    if made.args and len(made.args[0]) == 1 and isinstance(made.args[0][0], Box):
        inner = made.args[0][0]
        return (Box(inner.items, inner.ordered, "ModuleList"),)
    return (Box(list(made.args), ordered=False, role="ModuleList"),)


def _gathered(made: Call) -> Atoms:
    if not made.args:
        return (Box([]),)
    value = made.args[0]
    if len(value) == 1 and isinstance(value[0], Box):
        return (Box(list(value[0].items), value[0].ordered),)
    return (Box([expressions.elements(made.scope, value)], ordered=False),)


def _mapping(made: Call) -> Atoms:
    """dict(pairs): a container of the values, with the keys as field names if known."""
    found = _gathered(made)
    for atom in found:
        if isinstance(atom, Box):
            names = (*map(_name, atom.items), *made.named)
            atom.items = [*map(_named, atom.items), *made.kwargs.values()]
            atom.ordered, atom.fields = False, names if all(names) else ()
    return found


def _first(made: Call) -> Atoms:
    return made.args[0] if made.args else unknown(made)


def _parameter(made: Call) -> Atoms:
    return (Cell(Store(tensor=True, leaf=True)),)


def _shared(made: Call) -> Atoms:
    """torch.from_numpy and the like: a tensor that shares the argument's memory."""
    given = [
        atom for value in (*made.args, *made.kwargs.values()) for atom in value if isinstance(atom, Cell)
    ]
    if given or made.scope.dry:
        prove(given)
        return tuple(shadow(cell) for cell in given) or UNKNOWN
    store = Store(grad=False, tensor=True)
    node = made.nodes[0] if made.nodes else None
    if isinstance(node, ast.Name):
        made.scope.names[node.id] = (shadow(Cell(store)),)  # later writes to the array reach the tensor
    elif isinstance(node, ast.Attribute):
        for atom in made.scope.value(node.value):
            if isinstance(atom, Object):
                atom.slots[node.attr] = (shadow(Cell(store)),)
    return (Cell(store),)


def _checkpoint(made: Call) -> Atoms:
    if not made.args:
        return unknown(made)
    if made.scope.recording:
        for cell in made.given():
            made.scope.save(cell.store)
    inner = Call(made.scope, made.args[1:], {}, made.nodes[1:], {}, made.exact)
    return made.scope.prefilter.call(made.args[0], inner)


def _getattr(made: Call) -> Atoms:
    if len(made.args) > 1 and made.args[1] and isinstance(made.args[1][0], Text):
        name = made.args[1][0].value
        return expressions.as_value(
            united([attributes.attribute(made.scope, made.args[0], name), *made.args[2:]])
        )
    return unknown(made)


def _setattr(made: Call) -> Atoms:
    if len(made.args) == 3 and made.args[1] and isinstance(made.args[1][0], Text):
        made.scope.set_attribute(made.args[0], made.args[1][0].value, made.args[2])
    return NOTHING


def _reversed(made: Call) -> Atoms:
    found = _gathered(made)
    for atom in found:
        if isinstance(atom, Box):
            atom.items.reverse()
    return found


def _sorted(made: Call) -> Atoms:
    found = _gathered(made)
    for atom in found:
        if isinstance(atom, Box):
            atom.ordered = False
    return found


def _named_tuple(made: Call) -> Atoms:
    """collections.namedtuple("Pair", "a b"): a constructor of tuples with these field names."""
    given = made.args[1] if len(made.args) > 1 else made.kwargs.get("field_names", NOTHING)
    return (Partial((Symbol(_MAKES_TUPLES),), [given], {}),)


#: A name that no program can spell.
_MAKES_TUPLES = "collections.namedtuple()"


def _tuple_with_names(made: Call) -> Atoms:
    names: list[str] = []
    for atom in made.args[0]:
        if isinstance(atom, Text):
            names = atom.value.replace(",", " ").split()
        elif isinstance(atom, Box):
            names = [part.value for item in atom.items for part in item if isinstance(part, Text)]
    items = [*made.args[1:], *(made.kwargs[name] for name in names if name in made.kwargs)]
    exact = len(items) == len(names)
    return (Box(items, ordered=exact, fields=tuple(names) if exact else ()),)


def _namespace(made: Call) -> Atoms:
    """types.SimpleNamespace(a=…): a container with named attributes."""
    return (Box([*made.kwargs.values()], fields=tuple(made.kwargs)),)


def _super(made: Call) -> Atoms:
    scope = made.scope
    source = scope.source
    receiver = NOTHING
    if source is not None and source.parameters:
        receiver = scope.names.get(source.parameters[0].arg, NOTHING)
    for atom in receiver:
        if isinstance(atom, Object):
            above = Object(atom.source, atom.given)
            above.slots = atom.slots
            above.arguments = atom.arguments
            above.after = source.owner if source is not None else None
            return (above,)
    return unknown(made)


def _is_tensor(made: Call) -> Atoms:
    for value in made.args:
        prove(value)
    return NOTHING


def _mode(made: Call) -> Atoms:
    return NOTHING


def _set_grad(made: Call) -> Atoms:
    if not made.scope.dry:
        flag = made.nodes[0] if made.nodes else None
        made.scope.recording = getattr(flag, "value", True) is not False
    return NOTHING


#: The model of each name.
INTRINSICS: dict[str, Callable[[Call], Atoms]] = {
    **functional.INTRINSICS,
    **dict.fromkeys(MODES, _mode),
    "torch.set_grad_enabled": _set_grad,
    "torch.nn.Parameter": _parameter,
    "torch.nn.Sequential": _sequential,
    "torch.nn.ModuleList": _modules,
    "torch.nn.ParameterList": _modules,
    "torch.nn.ModuleDict": _modules,
    "torch.nn.ParameterDict": _modules,
    "torch.compile": _first,
    **dict.fromkeys(NORMED, _first),
    "torch.jit.script": _first,
    "torch.jit.ignore": _first,
    "torch.jit.export": _first,
    **dict.fromkeys(
        (
            "torch.from_numpy",
            "torch.from_dlpack",
            "torch.utils.dlpack.from_dlpack",
            "torch.to_dlpack",
            "torch.utils.dlpack.to_dlpack",
            "torch.as_tensor",
            "torch.asarray",
        ),
        _shared,
    ),
    "torch.utils.checkpoint.checkpoint": _checkpoint,
    "torch.is_tensor": _is_tensor,
    "torch.is_grad_enabled": _mode,
    "builtins.dict": _mapping,
    "collections.OrderedDict": _mapping,
    "collections.namedtuple": _named_tuple,
    _MAKES_TUPLES: _tuple_with_names,
    "types.SimpleNamespace": _namespace,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.reversed": _reversed,
    "builtins.sorted": _sorted,
    "builtins.set": _sorted,
    "builtins.super": _super,
    "copy.deepcopy": _first,
    "copy.copy": _first,
    **dict.fromkeys(
        [f"builtins.{n}" for n in "list tuple iter next max min".split()] + ["collections.deque"],
        _gathered,
    ),
}
