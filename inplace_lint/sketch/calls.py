"""Calls in a sketch: of ops, of nn modules, of the project's functions by their summaries, of what is not known."""

from __future__ import annotations

import _ast as ast

from ..torchmodel import arrays, table
from ..torchmodel.facts import Const
from ..torchmodel.spelling import PLAYED
from . import construct, effects, expressions, functions, plays
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
    Partial,
    Store,
    Symbol,
    Text,
    cells,
    united,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..torchmodel.op import Op
    from .atoms import Atom, Sketched
    from .expressions import Scope


#: Methods that write parameters: where a file trains, whether a backward comes before or after them matters.
_STEPS = frozenset(["step", "load_state_dict", "vector_to_parameters"])


class Call:
    """One call: its arguments as values and, where they stand in the text, as nodes."""

    __slots__ = ("args", "exact", "kwargs", "named", "nodes", "scope")

    def __init__(
        self,
        scope: Scope,
        args: list[Sketched],
        kwargs: dict[str, Sketched],
        nodes: list[ast.expr | None],
        named: dict[str, ast.expr],
        exact: bool,
    ) -> None:
        self.scope = scope
        self.args = args
        self.kwargs = kwargs
        self.nodes = nodes
        self.named = named
        self.exact = exact

    def given(self) -> list[Cell]:
        """Every tensor among the arguments and in their containers."""
        return [cell for value in (*self.args, *self.kwargs.values()) for cell in cells(value)]

    def after(self, receiver: list[Sketched], more: dict[str, Sketched] | None = None) -> Call:
        """The same call with arguments put before these."""
        return Call(
            self.scope,
            [*receiver, *self.args],
            {**more, **self.kwargs} if more else self.kwargs,
            [*[None] * len(receiver), *self.nodes],
            self.named,
            self.exact,
        )


def prove(value: Sketched | list[Cell]) -> None:
    """Somebody asks whether it is a tensor: then it may be."""
    for atom in value:
        if isinstance(atom, Cell):
            atom.store.prove()


def of_node(scope: Scope, node: ast.Call) -> Sketched:
    """The value of a call expression."""
    func_node = node.func
    if isinstance(func_node, ast.Attribute):
        func = expressions.attribute(scope, scope.value(func_node.value), func_node.attr)
        if func_node.attr in _STEPS and not scope.dry and b".backward(" in scope.module.source:
            scope.step()
            scope.doubt(EVIDENT)
    else:
        func = scope.value(func_node)
        first = func[0] if func else None
        if isinstance(first, Symbol) and first.dotted.endswith(".vector_to_parameters"):
            scope.doubt(EVIDENT)
    if scope.dry and func:
        later = _built_later(scope, func, node)
        if later is not None:
            return later
    return of_call(scope, func, node)


def of_call(scope: Scope, func: Sketched, node: ast.Call) -> Sketched:
    """A call of `func` with the arguments of the expression."""
    if not node.args and not node.keywords:
        return call(func, Call(scope, [], {}, [], {}, True))
    exact = True
    if ast.Starred in map(type, node.args):
        args, nodes, exact = _starred(scope, node)
    else:
        args, nodes = [scope.value(arg) for arg in node.args], [*node.args]
    kwargs: dict[str, Sketched] = {}
    named: dict[str, ast.expr] = {}
    for keyword in node.keywords:
        value = scope.value(keyword.value)
        if keyword.arg is None:
            exact = exact and not value
        else:
            kwargs[keyword.arg] = value
            named[keyword.arg] = keyword.value
    return call(func, Call(scope, args, kwargs, nodes, named, exact))


def _starred(scope: Scope, node: ast.Call) -> tuple[list[Sketched], list[ast.expr | None], bool]:
    """Arguments some of which are unpacked, their nodes, and whether it is known how many there are."""
    args: list[Sketched] = []
    nodes: list[ast.expr | None] = []
    exact = True
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            inner = scope.value(arg.value)
            if len(inner) == 1 and isinstance(inner[0], Box) and inner[0].ordered:
                args.extend(inner[0].items)
                nodes.extend([None] * len(inner[0].items))
            else:
                exact = False
                args.append(expressions.elements(scope, inner))
                nodes.append(None)
        else:
            args.append(scope.value(arg))
            nodes.append(arg)
    return args, nodes, exact


class Later:
    """An argument of what is built, to be evaluated if somebody asks for it."""

    __slots__ = ("node", "scope")

    def __init__(self, scope: Scope, node: ast.expr) -> None:
        self.scope = scope
        self.node = node

    def value(self) -> Sketched:
        return self.scope.value(self.node)


def _built_later(scope: Scope, func: Sketched, node: ast.Call) -> Sketched | None:
    """An object or module whose arguments are not looked at yet; None where they must be."""
    for atom in func:
        if not isinstance(atom, (Class, Layer)) and not (
            isinstance(atom, Symbol)
            and atom.dotted.startswith("torch.nn.")
            and atom.dotted not in plays.PLAYS
            and table.module(atom.dotted) is not None
        ):
            return None
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    built: list[Sketched] = []
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


def call(func: Sketched, made: Call) -> Sketched:
    """The value of func(…)."""
    if len(func) == 1:
        return _call(func[0], made)
    if not func:
        return NOTHING
    return _on_each(func, made) or made.scope.one_of([_Way(atom, made) for atom in func])


def _on_each(func: Sketched, made: Call) -> Sketched | None:
    """One op on a tensor that may be one of several: its result is one."""
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


class _Way:
    """A call of one of the things that are perhaps called."""

    __slots__ = ("atom", "made")

    def __init__(self, atom: Atom, made: Call) -> None:
        self.atom = atom
        self.made = made

    def __call__(self) -> Sketched:
        return _call(self.atom, self.made)


def _call(atom: Atom, made: Call) -> Sketched:
    action = CALLS.get(type(atom))
    return unknown(made) if action is None else action(atom, made)


def unknown(made: Call) -> Sketched:
    """A call of something that is not known: nothing is known of its result."""
    return UNKNOWN if made.scope.dry else expressions.fresh()


# torch


def _method(atom: Method, made: Call) -> Sketched:
    receiver, name = atom.receiver, atom.name
    if isinstance(receiver, Cell):
        return _tensor_method(receiver, name, made)
    if isinstance(receiver, Layer):
        if name in _PARAMETERS:
            return (Box([(Cell(receiver.weights),)], ordered=False),)
        if name in _HOOKS and made.args and not made.scope.dry:
            receiver.hooks.append(made.args[0])
        return (receiver,) if name in _SELF_RETURNING else NOTHING
    if isinstance(receiver, Box):
        return _box_method(receiver, name, made)
    if isinstance(receiver, Object):
        return _inherited(receiver, name, made)
    if isinstance(receiver, Class) and name == "apply" and not made.scope.dry:
        return _custom(made)
    if isinstance(receiver, (Function, Class)):
        return unknown(made)
    return NOTHING


def _custom(made: Call) -> Sketched:
    """`apply` of an autograd.Function: it may save what it is given and what it returns."""
    given = made.given()
    if not any(cell.store.grad for cell in given):
        return (Cell(Store(grad=False, tensor=True)),)
    result = Store(tensor=True)
    if made.scope.recording:
        level = EVIDENT if any(effects.is_evident(made.scope, cell.store) for cell in given) else WEAK
        result.evident = level == EVIDENT
        for store in (*(cell.store for cell in given), result):
            made.scope.save(store, level)
    return (Cell(result), *given)


def _announce(receivers: tuple[Cell, ...], name: str, made: Call) -> None:
    """Say that a method writes what its name says it writes."""
    if name.endswith("_"):
        made.scope.overwrites(receivers)
    elif arrays.writes(name):
        for receiver in receivers:
            if receiver.store.under is not None:
                made.scope.write(receiver, False)


_PARAMETERS = frozenset("parameters named_parameters buffers named_buffers".split())
_SELF_RETURNING = frozenset("to cuda cpu float double half bfloat16 train eval requires_grad_ apply".split())


def _tensor_method(receiver: Cell, name: str, made: Call) -> Sketched:
    if made.scope.dry:
        return UNKNOWN
    if name == "requires_grad_":
        receiver.store.leaf = receiver.store.grad = receiver.store.evident = True
        return (receiver,)
    if name in ("parameters", "named_parameters"):
        return _leaves(name, made)
    _announce((receiver,), name, made)
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
    made_by = receiver.store.made
    if made_by is not None:
        found = tuple(a for a in made.scope.sketches.result(made_by[0]) if not isinstance(a, Cell))
        if found:
            return call(expressions.attribute(made.scope, found, name), made)
    return unknown(made)


def _leaves(name: str, made: Call) -> Sketched:
    """The parameters of something, with their names where `named_parameters` is asked."""
    store = Store(tensor=True, leaf=True)
    store.found = True
    if b".backward(" in made.scope.module.source:
        store.saved = (
            (EVERYWHERE, EVIDENT),
        )  # whether a forward comes before their writes, an exact run tells
    leaf: Sketched = (Cell(store),)
    return (Box([leaf if name == "parameters" else (Box([NOTHING, leaf]),)], ordered=False),)


def _box_method(box: Box, name: str, made: Call) -> Sketched:
    if name in ("append", "add", "appendleft", "insert", "setdefault", "add_module"):
        value = made.args[-1] if made.args else NOTHING
        box.items.append(value)
        made.scope.keep(value, made.nodes[-1] if made.nodes else None)
        box.ordered = box.ordered and name == "append" and made.scope.loops == 0
        return value
    if name in ("extend", "update"):
        for value in made.args:
            box.items.append(expressions.elements(made.scope, value))
        box.ordered = False
        return NOTHING
    if name in ("get", "pop", "popleft"):
        return united([box.element(), *made.args[1:]])
    if name == "items":
        return (Box([(Box([NOTHING, box.element()]),)], ordered=False),)
    if name in ("values", "copy", "children", "modules"):
        return (Box(list(box.items), box.ordered, box.role),)
    if name in ("parameters", "named_parameters"):
        return _leaves(name, made)
    if name in _SELF_RETURNING:
        return (box,)
    return NOTHING


def _inherited(obj: Object, name: str, made: Call) -> Sketched:
    """What an object may inherit from nn.Module."""
    if name in ("parameters", "named_parameters"):
        return _leaves(name, made)
    if name == "register_parameter" and len(made.args) > 1:
        return _keep(obj, made, Store(tensor=True, leaf=True, given=""))
    if name == "register_buffer" and len(made.args) > 1:
        return _keep(obj, made, Store(grad=False, tensor=True))
    if name in _HOOKS and made.args and not made.scope.dry:
        obj.hooks.append(made.args[0])
        return NOTHING
    if name in _SELF_RETURNING:
        return (obj,)
    return unknown(made)


_HOOKS = frozenset(["register_forward_hook", "register_forward_pre_hook"])


def hooked(atom: Layer | Object, made: Call, result: Sketched) -> Sketched:
    """What a module's hooks make of what goes in and comes out."""
    for hook in atom.hooks:
        args: list[Sketched] = [(atom,), (Box(list(made.args)),), result]
        changed = call(hook, Call(made.scope, args, {}, [None] * 3, {}, True))
        result = united([result, changed])
    return result


def _keep(obj: Object, made: Call, store: Store) -> Sketched:
    name = made.args[0]
    if name and isinstance(name[0], Text):
        store.given = f"self.{name[0].value}" if obj.given else ""
        obj.slots[name[0].value] = (Cell(store),)
    return NOTHING


def _layer(layer: Layer, made: Call) -> Sketched:
    model = table.module(layer.name)
    assert model is not None
    if made.scope.dry:
        return UNKNOWN
    binding = model.bind(["?"] * len(made.args), dict.fromkeys(made.kwargs, "?"))
    values: list[Sketched] = [
        NOTHING if p is None else made.args[p] if isinstance(p, int) else made.kwargs[p] for p in binding
    ]
    owner = layer if model.has_weights(layer.config) else None
    return hooked(layer, made, effects.perform(made.scope, layer.facts(), values, owner))


def _symbol(symbol: Symbol, made: Call) -> Sketched:
    dotted = symbol.dotted
    if dotted.startswith("torch.") and dotted not in PLAYED:
        op = table.function(dotted)
        if op is not None:
            return _operation(op, made)
    play = plays.PLAYS.get(dotted)
    if play is not None:
        return play(made)
    if dotted == "builtins.isinstance" and made.args:
        prove(made.args[0])
    head = dotted.partition(".")[0]
    if head == "torch":
        return _torch(dotted, made)
    if head == "builtins":
        return NOTHING
    if head == "numpy":
        return _numpy(dotted, made)
    if head in _PLAIN_PACKAGES:
        return NOTHING
    return unknown(made)


def _numpy(dotted: str, made: Call) -> Sketched:
    """A function of NumPy: it may write an array that shares a tensor's memory, or give another look at it."""
    name = dotted.removeprefix("numpy.")
    written = [made.kwargs["out"]] if "out" in made.kwargs else made.args[: arrays.function_writes(name)]
    if not made.scope.dry:
        for value in written:
            for cell in cells(value):
                made.scope.write(cell, False)
    return made.args[0] if arrays.function_looks(name) and made.args else NOTHING


_PLAIN_PACKAGES = frozenset("math random time logging warnings os sys json re".split())


def _operation(op: Op, made: Call) -> Sketched:
    result = effects.apply(made.scope, op, made.args, made.nodes, made.kwargs, made.named, proves=True)
    if made.kwargs and "requires_grad" in made.kwargs:
        for atom in result:
            if isinstance(atom, Cell):
                atom.store.leaf = atom.store.grad = atom.store.evident = True
    return result


def _torch(dotted: str, made: Call) -> Sketched:
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


def _config(value: Sketched, node: ast.expr | None) -> str | Const:
    found = effects.kind(value, node)
    return Const(found[1]) if isinstance(found, tuple) else "?"


# Containers, and what is not known


def _box(box: Box, made: Call) -> Sketched:
    """nn.Sequential: its modules one after the other."""
    if box.role != "Sequential":
        return unknown(made)
    value = made.args[0] if made.args else NOTHING
    for item in box.items:
        value = call(item, Call(made.scope, [value], {}, [None], {}, True))
    return value


def _cell(cell: Cell, made: Call) -> Sketched:
    """Something unknown is called; what a function of the project returned may be a module or function after all."""
    if made.scope.dry:
        return UNKNOWN
    if cell.store.made is not None:
        found = tuple(a for a in made.scope.sketches.result(cell.store.made[0]) if not isinstance(a, Cell))
        if found:
            return call(found, made)
    if cell.store.given and "." not in cell.store.given and made.scope.recording:
        for given in made.given():
            given.store.entrusted = True
    return unknown(made)


def _partial_call(partial: Partial, made: Call) -> Sketched:
    return call(partial.func, made.after(partial.args, partial.kwargs))


def _text(text: Text, made: Call) -> Sketched:
    return NOTHING


expressions.EXPRESSIONS[ast.Call] = of_node


def _of_project(atom: Function | Class | Object, made: Call) -> Sketched:
    """The first function, class or object of the project that is called: from then on `functions` is asked at once."""
    CALLS.update({Function: functions.of_function, Class: functions.of_class, Object: functions.of_object})
    return CALLS[type(atom)](atom, made)


#: How each kind of thing is called.
CALLS: dict[type[Atom], Callable[..., Sketched]] = {
    Method: _method,
    Layer: _layer,
    Symbol: _symbol,
    Box: _box,
    Cell: _cell,
    Partial: _partial_call,
    Text: _text,
    Function: _of_project,
    Class: _of_project,
    Object: _of_project,
}
