"""Evaluates calls of torch ops, `nn` modules and unknown callables; `methods` and `functions` handle the others."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel import arrays, table, writers
from ..torchmodel.facts import Const
from ..torchmodel.spelling import INTRINSIC_OPS, MAKERS
from . import attributes, construct, effects, einops, functions, intrinsics, methods
from .arguments import Call, Later, evaluated, given_again, hooked, unknown
from .atoms import (
    EVIDENT,
    NOTHING,
    UNKNOWN,
    Box,
    Cell,
    Class,
    Function,
    Layer,
    Method,
    Object,
    Partial,
    Store,
    Symbol,
    Text,
    cells,
    prove,
    united,
)
from .owned_tensors import part_of
from .source_words import runs_backward

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..torchmodel.op import Op
    from .atoms import Atom, Atoms
    from .expressions import Scope


def of_node(scope: Scope, node: ast.Call) -> Atoms:
    """The value of a call expression."""
    func_node = node.func
    if isinstance(func_node, ast.Attribute):
        func = attributes.attribute(scope, scope.value(func_node.value), func_node.attr)
        # `optimizer.step()`: in a file that trains, it matters whether a backward runs before or after this write.
        if func_node.attr in writers.STEPS and not scope.dry and runs_backward(scope.module):
            scope.step()
            scope.doubt(EVIDENT)
    else:
        func = scope.value(func_node)
    if scope.dry and func:
        later = _built_later(scope, func, node)
        if later is not None:
            return later
    return call(func, evaluated(scope, node))


def _built_later(scope: Scope, func: Atoms, node: ast.Call) -> Atoms | None:
    """Builds an object or module with its arguments unevaluated; None where they must be evaluated."""
    for atom in func:
        if not isinstance(atom, (Class, Layer)) and not (
            isinstance(atom, Symbol)
            and atom.dotted.startswith("torch.nn.")
            and atom.dotted not in intrinsics.INTRINSICS
            and table.module(atom.dotted) is not None
        ):
            return None
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    built: list[Atoms] = []
    for atom in func:
        if isinstance(atom, Symbol):
            model = table.module(atom.dotted)
            assert model is not None
            config = {param.name: _plain(arg) for param, arg in zip(model.params, node.args)}
            config.update((k.arg, _plain(k.value)) for k in node.keywords if k.arg is not None)
            built.append((Layer(atom.dotted, config),))
        elif isinstance(atom, Class):
            obj = Object(atom.source)
            init = construct.find_method(scope, atom.source, "__init__")
            if init is not None:
                for parameter, arg in zip(init.source.parameters[1:], node.args):
                    obj.arguments[parameter.arg] = Later(scope, arg)
                for keyword in node.keywords:
                    if keyword.arg is not None:
                        obj.arguments[keyword.arg] = Later(scope, keyword.value)
            built.append((obj,))
        else:
            return None
    return united(built)


def _plain(node: ast.expr) -> str | Const:
    return Const(node.value) if isinstance(node, ast.Constant) else "?"


def call(func: Atoms, made: Call) -> Atoms:
    """The value of func(…)."""
    if len(func) == 1:
        atom = func[0]
        action = _CALLS.get(type(atom))
        if action is not None:
            return action(atom, made)
        if isinstance(atom, Method):
            return methods.of_method(atom, made)
        if isinstance(atom, Function):
            return functions.of_function(atom, made)
        if isinstance(atom, Class):
            return functions.of_class(atom, made)
        return functions.of_object(atom, made) if isinstance(atom, Object) else unknown(made)
    if not func:
        return given_again(made)
    joined = methods.on_each(func, made) if isinstance(func[0], Method) else None
    return joined or made.scope.one_of([_Way(atom, made) for atom in func])


class _Way:
    """Calls one of several possible callees."""

    __slots__ = ("atom", "made")

    def __init__(self, atom: Atom, made: Call) -> None:
        self.atom = atom
        self.made = made

    def __call__(self) -> Atoms:
        return call((self.atom,), self.made)


# torch


def _layer(layer: Layer, made: Call) -> Atoms:
    model = layer.model()
    if made.scope.dry:
        return UNKNOWN
    binding = model.bind(["?"] * len(made.args), dict.fromkeys(made.kwargs, "?"))
    values: list[Atoms] = [
        NOTHING if p is None else made.args[p] if isinstance(p, int) else made.kwargs[p] for p in binding
    ]
    owner = layer if model.has_weights(layer.config) else None
    return hooked(layer, made, effects.perform(made.scope, layer.facts(), values, owner))


def _symbol(symbol: Symbol, made: Call) -> Atoms:
    dotted = symbol.dotted
    declared = made.scope.prefilter.declared.function(dotted, made.scope.module)
    if declared is not None and made.args and any(isinstance(atom, Function) for atom in made.args[0]):
        return (symbol,)  # `custom_op(…)(function)`
    if declared is not None:
        return effects.apply(made.scope, declared, made.args, made.nodes, made.kwargs, made.named, True)
    if dotted in MAKERS and made.args and made.args[0] and isinstance(made.args[0][0], Text):
        return (Symbol(f"torch.ops.{made.args[0][0].value.replace('::', '.')}"),)
    layer = made.scope.prefilter.declared.layer(dotted)
    if layer is not None:
        return (Layer(dotted, {}, layer),)
    methods = made.scope.prefilter.declared.methods(dotted)
    if methods:
        return _with_methods(dotted, methods)
    if writers.writes_parameters(dotted):
        made.scope.step()
        made.scope.doubt(EVIDENT)
    if dotted.startswith("torch.") and dotted not in INTRINSIC_OPS:
        op = table.function(dotted)
        if op is not None:
            return _operation(op, made)
    play = intrinsics.INTRINSICS.get(dotted)
    if play is not None:
        return play(made)
    if dotted == "builtins.isinstance" and made.args:
        prove(made.args[0])
    head = dotted.partition(".")[0]
    if head == "torch":
        return _torch(dotted, made)
    if head == "builtins":
        return NOTHING if dotted in _NUMBERS else given_again(made)
    if head == "numpy":
        return _numpy(dotted, made)
    if head == "einops":
        return einops.INTRINSICS.get(dotted, unknown)(made)
    if head in _PLAIN_PACKAGES:
        return NOTHING
    if head in _PASS_ON:
        return given_again(made)
    given = made.args[0][0] if len(made.args) == 1 and len(made.args[0]) == 1 else None
    if isinstance(given, Box) and given.items and all(map(construct.of_modules, given.items)):
        return (Box(given.items, given.ordered, "ModuleList"),)  # a list-like class from outside the project
    return unknown(made)


def _with_methods(dotted: str, names: list[str]) -> Atoms:
    """An object of an outside class, with the methods of it that declarations describe."""
    store = Store()
    store.sources = ()
    store.opened().update({name: (Symbol(f"{dotted}.{name}"),) for name in names})
    return (Cell(store),)


def _numpy(dotted: str, made: Call) -> Atoms:
    """A function of NumPy: it may write an array that shares memory with a tensor, or return a view of it."""
    name = dotted.removeprefix("numpy.")
    place = arrays.place_of_out(name)
    written = made.args[place : place + 1] if place else made.args[: arrays.function_writes(name)]
    if "out" in made.kwargs:
        written = [made.kwargs["out"]]
    if not made.scope.dry:
        for value in written:
            for cell in cells(value):
                made.scope.write(cell, False)
    if arrays.function_splits(name) and made.args:
        return (Box([made.args[0]], ordered=False),)
    return made.args[0] if arrays.function_looks(name) and made.args else NOTHING


#: Builtins that give back nothing of what they are given.
_NUMBERS = frozenset(
    f"builtins.{name}"
    for name in "abs bool bytes callable chr complex dir divmod exec float format hasattr hash id int isinstance "
    "issubclass len ord pow print range repr round str type".split()
)
#: Packages of Python whose functions give back what they are given, or parts of it.
_PASS_ON = frozenset(
    "bisect collections contextlib copy dataclasses functools heapq itertools operator queue types typing".split()
)
_PLAIN_PACKAGES = frozenset("math random time logging warnings os sys json re".split())


def _operation(op: Op, made: Call) -> Atoms:
    result = effects.apply(made.scope, op, made.args, made.nodes, made.kwargs, made.named, proves=True)
    if made.kwargs and "requires_grad" in made.kwargs:
        for atom in result:
            if isinstance(atom, Cell):
                atom.store.leaf = atom.store.grad = atom.store.evident = True
    return result


def _torch(dotted: str, made: Call) -> Atoms:
    op = table.method(dotted.rpartition(".")[2]) if dotted.startswith("torch.Tensor.") else None
    if op is not None:
        return _operation(op, made)
    module = table.module(dotted)
    if module is not None:
        kinds = {
            param.name: _config(value, node)
            for param, value, node in zip(module.params, made.args, made.nodes)
        }
        for name, value in made.kwargs.items():
            kinds[name] = _config(value, made.named.get(name))
        return (Layer(dotted, kinds),)
    if dotted.startswith("torch.optim."):
        return NOTHING
    if table.lacks(dotted):
        made.scope.doubt(EVIDENT)
    return unknown(made)


def _config(value: Atoms, node: ast.expr | None) -> str | Const:
    found = effects.kind(value, node)
    return Const(found[1]) if isinstance(found, tuple) else "?"


# Containers, and unknown values


def _box(box: Box, made: Call) -> Atoms:
    """nn.Sequential: its modules one after the other."""
    if box.role != "Sequential":
        return unknown(made)
    value = made.args[0] if made.args else NOTHING
    for item in box.items:
        value = call(item, Call(made.scope, [value], {}, [None], {}, True))
    return value


def _cell(cell: Cell, made: Call) -> Atoms:
    """Calls something unknown; a parameter or attribute may keep what it is given, and return a part of itself."""
    if made.scope.dry:
        return UNKNOWN
    if cell.store.given and made.scope.recording:
        made.scope.remembers = True  # a module keeps its weights
        if "." not in cell.store.given:
            for given in made.given():
                given.store.entrusted = True
    for value in (*made.args, *made.kwargs.values()):
        made.scope.fill(cell.store.given, value)
    return unknown(made) if not cell.store.given else (*unknown(made), *part_of(cell.store.given))


def _partial_call(partial: Partial, made: Call) -> Atoms:
    return call(partial.func, made.after(partial.args, partial.kwargs))


def _text(text: Text, made: Call) -> Atoms:
    return NOTHING


#: How each kind of atom is called; `call` handles functions, classes, objects and methods of the project.
_CALLS: dict[type[Atom], Callable[..., Atoms]] = {
    Layer: _layer,
    Symbol: _symbol,
    Box: _box,
    Cell: _cell,
    Partial: _partial_call,
    Text: _text,
}
