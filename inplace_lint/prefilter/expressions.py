"""Evaluates expressions to abstract values; calls and ops are left to `calls` and `effects`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.operators import OPERATORS
from . import bindings, effects
from .atoms import (
    EVERYWHERE,
    NOTHING,
    RECORDED,
    UNKNOWN,
    WEAK,
    Box,
    Cell,
    Function,
    Method,
    Object,
    Store,
    Text,
    fresh,
    member,
    united,
)
from .owned_tensors import own

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..syntax.module import FunctionSource, Module
    from .atoms import Atom, Atoms
    from .summaries import Prefilter

#: Above this many alternatives, tensors with equal properties count as one.
CROWD = 64


class Scope:
    """The environment of an evaluation: names, and hooks that record effects; `dry`: nothing is recorded."""

    dry = True

    def __init__(
        self, prefilter: Prefilter, module: Module, source: FunctionSource | None = None, depth: int = 0
    ) -> None:
        self.prefilter = prefilter
        self.module = module
        self.source = source
        self.depth = depth
        self.names: dict[str, Atoms] = {}
        self.outer: list[dict[str, Atoms]] = []
        self.recording = False
        #: number of loops around this point
        self.loops = 0
        #: branch arms around this point
        self.arms = EVERYWHERE
        #: whether this code seems to be trained, so that gradients may be assumed to flow
        self.trained = False

    #: `y = x`: y -> (x, the number of writes of each storage at that time)
    copies: Mapping[str, tuple[str, list[tuple[Store, int]]]] = {}
    #: whether there is a save, or a stored tensor, that a later write could hit
    remembers = False

    def step(self) -> None:
        """Note that parameters are written (`optimizer.step()`), which an earlier forward may have saved."""

    def save(self, store: Store, level: int = WEAK) -> None:
        """Note that an op or call saved a tensor for backward; `level` says how sure its gradients are."""

    def write(self, cell: Cell, differentiable: bool, initial: bool = False) -> None:
        """Note a write of a tensor; `initial`: the callee writes under no_grad itself."""

    def leave(self, store: Store) -> None:
        """Note that the function writes the storage in its own statements, not in a callee."""

    def doubt(self, level: int, store: Store | None = None) -> None:
        """Note a possible finding, real only if gradients flow and `store` is a tensor."""

    def overwrites(self, value: Atoms) -> None:
        """Note that a statement openly writes the value, as `x += 1` and `x.add_(1)` do."""

    #: number of the current statement
    statement = 0
    #: whether a loop's iterable runs project code, such as a generator
    draws = False

    def keep(self, value: Atoms, node: ast.expr | None) -> None:
        """Note that the value of an expression is put into a list."""

    def set_attribute(self, owner: Atoms, name: str, value: Atoms) -> None:
        """owner.name = value."""

    def fill(self, key: str, value: Atoms) -> None:
        """Note that a value is put into a parameter or attribute (`key`), in a way that is not followed."""

    def give(self, value: Atoms) -> None:
        """Note that the function returns or yields the value."""

    def value(self, node: ast.expr) -> Atoms:
        """Evaluates an expression."""
        kind = type(node)
        if kind is ast.Name:  # half of all expressions
            name: str = node.id  # type: ignore[attr-defined]  # its type was compared above
            found = None if self.copies else self.names.get(name)
            return self.name(name) if found is None else found
        value = _EXPRESSIONS.get(kind, _other)(self, node)
        return value if len(value) <= CROWD else self.crowded(value)

    def crowded(self, value: Atoms) -> Atoms:
        """The value with fewer atoms: tensors with equal properties count as one."""
        return _thinned(value)

    def name(self, name: str) -> Atoms:
        """Looks up a name: local, enclosing, global, builtin."""
        found = self.names.get(name)
        if found is not None:
            return found
        for names in self.outer:
            found = names.get(name)
            if found is not None:
                return found
        return self.names_of(self.module, name)

    def names_of(self, module: Module, name: str) -> Atoms:
        """The value of a global name; its tensors are copied, so that writes here do not reach other scopes."""
        found = bindings.of_module(self.prefilter, module, name)
        if self.dry:
            return found
        found = own(found)
        if module is self.module:
            self.names[name] = found
        return found

    def one_of(self, ways: list[Callable[[], Atoms]]) -> Atoms:
        """The join of several alternative evaluations."""
        return united([way() for way in ways])

    def bind(self, target: ast.expr, value: Atoms) -> None:
        """Binds a target inside an expression: of a comprehension, or a walrus."""
        if isinstance(target, ast.Name):
            self.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            for inner, part in zip(target.elts, unpacked(self, value, len(target.elts), target.elts)):
                self.bind(inner, part)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, (Box([value], ordered=False),))


def _thinned(value: Atoms) -> Atoms:
    """Merges tensors with equal properties into one atom."""
    found: dict[object, Atom] = {}
    for atom in value:
        key: object = atom
        if isinstance(atom, Cell):
            store = atom.store
            key = (store.given, store.grad, store.leaf, store.tensor, atom.fragile)
        found.setdefault(key, atom)
    return tuple(found.values())


def unpacked(scope: Scope, value: Atoms, count: int, targets: list[ast.expr]) -> list[Atoms]:
    """The parts of `a, b = value`."""
    starred = any(isinstance(t, ast.Starred) for t in targets)
    if len(value) == 1:
        atom = value[0]
        if isinstance(atom, Box) and atom.ordered and len(atom.items) == count and not starred:
            return atom.items
        if isinstance(atom, Cell) and scope.dry:
            return [UNKNOWN] * count
        if isinstance(atom, Cell) and not atom.store.tensor:
            # An argument that is unpacked may be a tensor: then each part is a view of it.
            whole = (Cell(atom.store, RECORDED, atom.without),) if atom.store.given else NOTHING
            return [united([member(atom, i), whole]) for i in range(count)]
    element = elements(scope, value)
    return [element] * count


def part(scope: Scope, value: Atoms, place: int) -> Atoms:
    """The element of a value at index `place`."""
    found: list[Atoms] = []
    for atom in value:
        if not isinstance(atom, Box) or not atom.ordered or len(atom.items) <= place:
            return elements(scope, value)
        found.append(atom.items[place])
    return united(found)


def elements(scope: Scope, value: Atoms) -> Atoms:
    """The join of the elements that iterating over a value gives."""
    found: list[Atoms] = []
    for atom in value:
        if isinstance(atom, Box):
            found.append(atom.element())
        elif isinstance(atom, Cell):
            if atom.store.tensor:
                atom.store.parted = True
                found.append((Cell(atom.store, RECORDED),))
            else:
                found.append((atom,))
        elif isinstance(atom, Object):
            found.append(elements(scope, scope.prefilter.contents(scope, atom)))
        elif scope.prefilter.declared.is_function(atom, scope.module):
            found.append((atom,))  # `kernel[grid](…)` calls the kernel
    return found[0] if len(found) == 1 else united(found)


def _constant(scope: Scope, node: ast.Constant) -> Atoms:
    return (Text(node.value),) if type(node.value) is str else NOTHING


def _get_attribute(scope: Scope, node: ast.Attribute) -> Atoms:
    return as_value(scope.prefilter.attribute(scope, scope.value(node.value), node.attr))


def as_value(value: Atoms) -> Atoms:
    """The value, where a method looked up on something unknown becomes an attribute of it."""
    for atom in value:
        if isinstance(atom, Method):
            break
    else:
        return value
    found: list[Atoms] = []
    for atom in value:
        if not isinstance(atom, Method) or isinstance(atom.receiver, Box):
            found.append((atom,))
        elif isinstance(atom.receiver, Cell):
            found.append(member(atom.receiver, atom.name))
    return united(found)


def _call(scope: Scope, node: ast.Call) -> Atoms:
    return scope.prefilter.call_of(scope, node)


def _binary(scope: Scope, node: ast.BinOp) -> Atoms:
    left, right = scope.value(node.left), scope.value(node.right)
    return effects.operator(scope, OPERATORS[type(node.op)], left, right, node.left, node.right)


def test(scope: Scope, node: ast.expr) -> None:
    """Evaluates a condition, of which only the calls and the like can have effects."""
    kind = type(node)
    if kind is ast.BoolOp:
        for value in node.values:  # type: ignore[attr-defined]  # here and below: its type was compared above
            test(scope, value)
    elif kind is ast.UnaryOp:
        test(scope, node.operand)  # type: ignore[attr-defined]
    elif kind is ast.Compare:
        test(scope, node.left)  # type: ignore[attr-defined]
        for value in node.comparators:  # type: ignore[attr-defined]
            test(scope, value)
    elif kind is ast.Attribute:
        inner = node.value  # type: ignore[attr-defined]
        owner = None if scope.source is None else scope.source.owner
        if owner is not None and node.attr in owner.methods:  # type: ignore[attr-defined]  # a property
            scope.value(node)
        else:
            test(scope, inner)
    elif kind is not ast.Constant:
        scope.value(node)


def _unary(scope: Scope, node: ast.UnaryOp) -> Atoms:
    if isinstance(node.op, ast.Not):
        test(scope, node.operand)
        return NOTHING
    value = scope.value(node.operand)
    return effects.operator(scope, _UNARY[type(node.op)], value, None, node.operand, None)


def _boolean(scope: Scope, node: ast.BoolOp) -> Atoms:
    return united([scope.value(value) for value in node.values])


def _compare(scope: Scope, node: ast.Compare) -> Atoms:
    if scope.dry:
        return NOTHING
    if isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
        test(scope, node)
        return NOTHING
    values = [scope.value(node.left), *[scope.value(c) for c in node.comparators]]
    if any(isinstance(atom, Cell) for value in values for atom in value):
        return (Cell(Store(grad=False)),)
    return NOTHING


def _conditional(scope: Scope, node: ast.IfExp) -> Atoms:
    if not scope.dry:
        test(scope, node.test)
    return scope.one_of([lambda: scope.value(node.body), lambda: scope.value(node.orelse)])


def _sequence(scope: Scope, node: ast.List | ast.Tuple | ast.Set) -> Atoms:
    items: list[Atoms] = []
    ordered = True
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = scope.value(element.value)
            if len(inner) == 1 and isinstance(inner[0], Box) and inner[0].ordered:
                items.extend(inner[0].items)
            else:
                ordered = False
                items.append(elements(scope, inner))
        else:
            items.append(scope.value(element))
    return (Box(items, ordered),)


def _dict(scope: Scope, node: ast.Dict) -> Atoms:
    for key in node.keys:
        if key is not None:
            scope.value(key)
    names = [str(getattr(key, "value", "")) for key in node.keys]
    values = [scope.value(value) for value in node.values]
    return (Box(values, ordered=False, fields=tuple(names) if all(names) else ()),)


def _subscript(scope: Scope, node: ast.Subscript) -> Atoms:
    value = scope.value(node.value)
    index = node.slice
    key = scope.value(index)
    found: list[Atoms] = []
    for atom in value:
        if isinstance(atom, Box):
            place = index.value if isinstance(index, ast.Constant) else None
            if atom.ordered and type(place) is int and -len(atom.items) <= place < len(atom.items):
                found.append(atom.items[place])
            elif isinstance(index, ast.Slice):
                found.append((Box(atom.items, ordered=False, role=atom.role),))
            else:
                found.append(atom.element())
        elif isinstance(atom, Cell):
            if key and isinstance(key[0], Text) and not scope.dry:
                found.append(member(atom, key[0].value))
            else:
                found.append(effects.index(scope, atom, key, isinstance(index, ast.List)))
        elif isinstance(atom, Object):
            found.append(elements(scope, scope.prefilter.contents(scope, atom)))
    return found[0] if len(found) == 1 else united(found)


def _comprehension(scope: Scope, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Atoms:
    _loop(scope, node.generators)
    if not scope.dry and isinstance(node.elt, ast.Call):
        scope.value(node.elt)  # one element may write what the one before saved
        if scope.draws:
            _loop(scope, node.generators)  # so may the code that yields the next one
    return (Box([scope.value(node.elt)], ordered=False),)


def _dict_comprehension(scope: Scope, node: ast.DictComp) -> Atoms:
    _loop(scope, node.generators)
    scope.value(node.key)
    return (Box([scope.value(node.value)], ordered=False),)


def _loop(scope: Scope, generators: list[ast.comprehension]) -> None:
    for generator in generators:
        scope.bind(generator.target, elements(scope, scope.value(generator.iter)))
        for condition in generator.ifs:
            test(scope, condition)


def _walrus(scope: Scope, node: ast.NamedExpr) -> Atoms:
    value = scope.value(node.value)
    scope.bind(node.target, value)
    return value


def _lambda(scope: Scope, node: ast.Lambda) -> Atoms:
    return (Function(scope.module.function_of(node), names=[scope.names, *scope.outer]),)


def _nothing(scope: Scope, node: ast.expr) -> Atoms:
    for child in ("values", "value"):
        inner = getattr(node, child, None)
        for one in inner if isinstance(inner, list) else [inner]:
            if isinstance(one, ast.expr):
                test(scope, one)
    return NOTHING


def _slice(scope: Scope, node: ast.Slice) -> Atoms:
    return NOTHING


def _inner(scope: Scope, node: Any) -> Atoms:
    if node.value is None:
        return fresh()
    value = scope.value(node.value)
    if isinstance(node, ast.Yield) and not scope.dry:
        scope.give(value)
    return value if isinstance(node, ast.Starred) else fresh()


def _other(scope: Scope, node: ast.expr) -> Atoms:
    return fresh()


_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}

#: The evaluation of each kind of expression.
_EXPRESSIONS: dict[type[ast.AST], Callable[[Any, Any], Atoms]] = {
    ast.Constant: _constant,
    ast.Attribute: _get_attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
    ast.JoinedStr: _nothing,
    ast.FormattedValue: _nothing,
    ast.Slice: _slice,
    ast.Starred: _inner,
    ast.Await: _inner,
    ast.Yield: _inner,
    ast.YieldFrom: _inner,
}
