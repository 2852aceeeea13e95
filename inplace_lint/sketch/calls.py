"""Calls in a sketch: of ops, of nn modules, of the project's functions by their summaries, of what is not known."""

from __future__ import annotations

import _ast as ast

from ..torchmodel import arrays, table
from ..torchmodel.facts import Const
from ..torchmodel.spelling import MODES
from . import construct, effects, expressions, postponed
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
    shadow,
    united,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.module import FunctionSource
    from .atoms import Atom, Sketched
    from .expressions import Scope

    Play = Callable[["Call"], Sketched]

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


def cells(value: Sketched, depth: int = 3) -> list[Cell]:
    """The tensors that a value is or holds."""
    found = []
    for atom in value:
        if isinstance(atom, Cell):
            found.append(atom)
        elif isinstance(atom, Box) and depth:
            for item in atom.items:
                found.extend(cells(item, depth - 1))
    return found


def of_node(scope: Scope, node: ast.Call) -> Sketched:
    """The value of a call expression."""
    func_node = node.func
    if isinstance(func_node, ast.Attribute):
        func = expressions.attribute(scope, scope.value(func_node.value), func_node.attr)
        if func_node.attr in _STEPS and not scope.dry and b".backward(" in scope.module.source:
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
            and atom.dotted not in _PLAYS
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
    action = _CALLS.get(type(atom))
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


def _hooked(atom: Layer | Object, made: Call, result: Sketched) -> Sketched:
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
    return _hooked(layer, made, effects.perform(made.scope, layer.facts(), values, owner))


def _symbol(symbol: Symbol, made: Call) -> Sketched:
    dotted = symbol.dotted
    play = _PLAYS.get(dotted)
    if play is not None:
        return play(made)
    if dotted == "builtins.isinstance" and made.args:
        _proved(made.args[0])
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


def _torch(dotted: str, made: Call) -> Sketched:
    method = dotted.startswith("torch.Tensor.")
    op = table.method(dotted.rpartition(".")[2]) if method else table.function(dotted)
    if op is not None:
        result = effects.apply(made.scope, op, made.args, made.nodes, made.kwargs, made.named, proves=True)
        if made.kwargs and "requires_grad" in made.kwargs:
            for atom in result:
                if isinstance(atom, Cell):
                    atom.store.leaf = atom.store.grad = atom.store.evident = True
        return result
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


# The project's own


def _function(function: Function, made: Call) -> Sketched:
    scope = made.scope
    if function.receiver is not None:
        made = made.after([function.receiver])
    if scope.dry:
        return scope.sketches.builds(function, made)
    source = function.source
    if function.names is not None or isinstance(source.node, ast.Lambda):
        return scope.sketches.inline(function, made)
    arguments = bind(source, made)
    if source.module is not scope.module and scope.sketches.trains(source.module):
        scope.trained = True
    if not scope.sketches.may_write(source):
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
    if summary.weak and scope.recording:
        scope.doubt(level)
    for key in summary.writes:
        for cell in reached(scope, arguments, key):
            if key in summary.tensors:
                cell.store.prove()
            scope.write(cell, scope.recording and key in summary.recorded, key not in summary.recorded)
            if scope.recording and key in summary.recorded and any(store.grad for store in given):
                cell.store.grad = True
    if scope.recording:
        for key in summary.saves:
            for cell in reached(scope, arguments, key):
                scope.save(cell.store, level)
        for key, callee, parameter in summary.handed:
            for cell in reached(scope, arguments, key):
                postponed.hand(scope, cell, (callee, {}, True), parameter, Store())
        if summary.writes:
            _doubt_same(scope, source, arguments, level)
    for key, name, value in summary.kept:
        _keep_in(arguments.get(key, NOTHING), name, returned(scope, value, arguments, level == EVIDENT))
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


def _keep_in(target: Sketched, name: str, value: Sketched) -> None:
    """A function left a value in an attribute of what it was given."""
    for atom in target:
        if isinstance(atom, Object):
            atom.slots[name] = united([atom.slots.get(name, NOTHING), value])
        elif isinstance(atom, Cell):
            if atom.store.members is None:
                atom.store.members = {}
            atom.store.members[name] = united([atom.store.members.get(name, NOTHING), value])


def reached(scope: Scope, arguments: dict[str, Sketched], key: str) -> list[Cell]:
    """The tensors that a parameter (`x`), or an attribute of the receiver (`self.x`), stands for in a call."""
    name, dot, member = key.partition(".")
    value = arguments.get(name, NOTHING)
    if not dot:
        return cells(value)
    found: list[Cell] = []
    for atom in value:
        if isinstance(atom, Object):
            found.extend(cells(construct.of_object(scope, atom, member)))
        elif isinstance(atom, Cell) and atom.store.members is not None and member in atom.store.members:
            found.extend(cells(atom.store.members[member]))
    return found


def returned(
    scope: Scope, value: Sketched, arguments: dict[str, Sketched], sure: bool, depth: int = 3
) -> Sketched:
    """What a summary returns, in the terms of a call; `sure`: an argument requires grad for certain."""
    found: list[Sketched] = []
    for atom in value:
        if isinstance(atom, Cell):
            store = atom.store
            if store.given:
                here = reached(scope, arguments, store.given)
                fragile = atom.fragile
                found.append(tuple(Cell(c.store, max(c.fragile, fragile), c.without) for c in here))
            if not store.given or store.saved:
                copy = Store(store.grad, tensor=store.tensor, leaf=store.leaf)
                copy.saved, copy.parted, copy.passed = store.saved, store.parted, store.passed
                copy.arms = store.arms
                scope.remembers = scope.remembers or bool(store.saved or store.passed)
                copy.evident, copy.sources = sure or effects.is_evident(scope, store), store.sources
                found.append((Cell(copy, atom.fragile, atom.without),))
        elif isinstance(atom, Box) and depth:
            items = [returned(scope, item, arguments, sure, depth - 1) for item in atom.items]
            found.append((Box(items, atom.ordered, atom.role),))
        else:
            found.append((atom,))
    return found[0] if len(found) == 1 else united(found)


def _class(cls: Class, made: Call) -> Sketched:
    obj = Object(cls.source)
    init = construct.find_method(made.scope, cls.source, "__init__")
    if init is not None:
        obj.arguments.update(bind(init.source, made.after([NOTHING])))
    elif made.kwargs:
        obj.slots.update(made.kwargs)
    return (obj,)


def _object(obj: Object, made: Call) -> Sketched:
    for name in ("forward", "__call__"):
        found = construct.find_method(made.scope, obj.source, name)
        if found is not None:
            return _hooked(obj, made, _function(Function(found.source, (obj,)), made))
    own = construct.part(made.scope, obj)
    return _hooked(obj, made, call(own, made)) if own else unknown(made)


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

_CALLS: dict[type[Atom], Callable[..., Sketched]] = {
    Method: _method,
    Layer: _layer,
    Symbol: _symbol,
    Function: _function,
    Class: _class,
    Object: _object,
    Box: _box,
    Cell: _cell,
    Partial: _partial_call,
    Text: _text,
}


# Names whose meaning is Python's


def _sequential(made: Call) -> Sketched:
    if len(made.args) == 1 and len(made.args[0]) == 1 and isinstance(made.args[0][0], Box):
        inner = made.args[0][0]
        items = [_named(item) for item in inner.items]
        return (Box(items, inner.ordered, "Sequential"),)
    return (Box(list(made.args), made.exact, "Sequential"),)


def _named(item: Sketched) -> Sketched:
    """The module of a ("name", module) pair."""
    if len(item) == 1 and isinstance(item[0], Box) and not item[0].role and len(item[0].items) == 2:
        return item[0].items[1]
    return item


def _modules(made: Call) -> Sketched:
    if made.args and len(made.args[0]) == 1 and isinstance(made.args[0][0], Box):
        inner = made.args[0][0]
        return (Box(inner.items, inner.ordered, "ModuleList"),)
    return (Box(list(made.args), ordered=False, role="ModuleList"),)


def _gathered(made: Call) -> Sketched:
    if not made.args:
        return (Box([]),)
    value = made.args[0]
    if len(value) == 1 and isinstance(value[0], Box):
        return (Box(list(value[0].items), value[0].ordered),)
    return (Box([expressions.elements(made.scope, value)], ordered=False),)


def _enumerated(made: Call) -> Sketched:
    element = expressions.elements(made.scope, made.args[0]) if made.args else NOTHING
    return (Box([(Box([NOTHING, element]),)], ordered=False),)


def _zipped(made: Call) -> Sketched:
    return (Box([(Box([expressions.elements(made.scope, value) for value in made.args]),)], ordered=False),)


def _mapped(made: Call) -> Sketched:
    if len(made.args) < 2:
        return unknown(made)
    given = [expressions.elements(made.scope, value) for value in made.args[1:]]
    result = call(made.args[0], Call(made.scope, given, {}, [None] * len(given), {}, True))
    return (Box([result], ordered=False),)


def _first(made: Call) -> Sketched:
    return made.args[0] if made.args else unknown(made)


def _bound(made: Call) -> Sketched:
    return (Partial(made.args[0], made.args[1:], made.kwargs),) if made.args else NOTHING


def _parameter(made: Call) -> Sketched:
    return (Cell(Store(tensor=True, leaf=True)),)


def _shared(made: Call) -> Sketched:
    """torch.from_numpy and its kin: a tensor over the memory of what is given."""
    given = [
        atom for value in (*made.args, *made.kwargs.values()) for atom in value if isinstance(atom, Cell)
    ]
    if given or made.scope.dry:
        _proved(given)
        return tuple(shadow(cell) for cell in given) or UNKNOWN
    store = Store(grad=False, tensor=True)
    node = made.nodes[0] if made.nodes else None
    if isinstance(node, ast.Name):
        made.scope.names[node.id] = (
            shadow(Cell(store)),
        )  # what is written to the array from here on, it sees
    elif isinstance(node, ast.Attribute):
        for atom in made.scope.value(node.value):
            if isinstance(atom, Object):
                atom.slots[node.attr] = (shadow(Cell(store)),)
    return (Cell(store),)


def _checkpoint(made: Call) -> Sketched:
    if not made.args:
        return unknown(made)
    if made.scope.recording:
        for cell in made.given():
            made.scope.save(cell.store)
    inner = Call(made.scope, made.args[1:], {}, made.nodes[1:], {}, made.exact)
    return call(made.args[0], inner)


def _getattr(made: Call) -> Sketched:
    if len(made.args) > 1 and made.args[1] and isinstance(made.args[1][0], Text):
        name = made.args[1][0].value
        return expressions.as_value(
            made.scope, united([expressions.attribute(made.scope, made.args[0], name), *made.args[2:]])
        )
    return unknown(made)


def _super(made: Call) -> Sketched:
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


def _proved(value: Sketched | list[Cell]) -> None:
    """Somebody asks whether it is a tensor: then it may be."""
    for atom in value:
        if isinstance(atom, Cell):
            atom.store.prove()


def _is_tensor(made: Call) -> Sketched:
    for value in made.args:
        _proved(value)
    return NOTHING


def _mode(made: Call) -> Sketched:
    return NOTHING


def _set_grad(made: Call) -> Sketched:
    if not made.scope.dry:
        flag = made.nodes[0] if made.nodes else None
        made.scope.recording = getattr(flag, "value", True) is not False
    return NOTHING


def _summed(made: Call) -> Sketched:
    """A new tensor that hangs on the arguments, if one of them is a tensor."""
    given = made.given()
    return (Cell(Store(any(c.store.grad for c in given), tensor=False)),) if given else NOTHING


_PLAYS: dict[str, Play] = {
    **dict.fromkeys(MODES, _mode),
    "torch.set_grad_enabled": _set_grad,
    "torch.nn.Parameter": _parameter,
    "torch.nn.Sequential": _sequential,
    "torch.nn.ModuleList": _modules,
    "torch.nn.ParameterList": _modules,
    "torch.nn.ModuleDict": _modules,
    "torch.nn.ParameterDict": _modules,
    "torch.compile": _first,
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
    "builtins.enumerate": _enumerated,
    "builtins.zip": _zipped,
    "builtins.map": _mapped,
    "builtins.sum": _summed,
    "builtins.getattr": _getattr,
    "builtins.super": _super,
    "functools.partial": _bound,
    "copy.deepcopy": _first,
    "copy.copy": _first,
    **dict.fromkeys(
        [
            *(f"builtins.{n}" for n in "list tuple set reversed sorted iter dict next max min".split()),
            "collections.OrderedDict",
        ],
        _gathered,
    ),
}
