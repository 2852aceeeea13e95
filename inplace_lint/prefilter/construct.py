"""Computes what the attributes of an object hold, from the assignments in `__init__`, evaluated on demand."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..torchmodel import table
from . import bindings
from .arguments import Call, evaluated
from .assignments import COMPUTED, PART
from .atoms import (
    NOTHING,
    UNKNOWN,
    Box,
    Cell,
    Class,
    Function,
    Layer,
    Method,
    Object,
    Store,
    Symbol,
    cells,
    united,
)
from .expressions import Scope as Expressions
from .expressions import elements
from .expressions import part as part_of
from .owned_tensors import own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .arguments import Later
    from .assignments import Assignments
    from .atoms import Atoms
    from .summaries import Prefilter


class Scope(Expressions):
    """A function's names, or those of a file's top level, flow-insensitively: the join of all their assignments."""

    def __init__(
        self,
        prefilter: Prefilter,
        module: Module,
        source: FunctionSource | None = None,
        arguments: Mapping[str, Atoms | Later] | None = None,
        depth: int = 0,
    ) -> None:
        super().__init__(prefilter, module, source, depth)
        self.loops = 1
        self.assigned: Assignments | None = None
        self._later: dict[str, ast.arg | Later] = {}
        if source is None:
            return
        self.assigned = prefilter.assigned(source)
        given = arguments or {}
        for parameter in (*source.parameters, *source.node.args.kwonlyargs):
            value = given.get(parameter.arg)
            if isinstance(value, tuple):
                self.names[parameter.arg] = value
            else:
                self._later[parameter.arg] = parameter if value is None else value
        for extra in (source.node.args.vararg, source.node.args.kwarg):
            if extra is not None:
                value = given.get(extra.arg)
                self.names[extra.arg] = value if isinstance(value, tuple) else (Box([], ordered=False),)

    def _default(self, source: FunctionSource, parameter: ast.arg) -> Atoms:
        default = source.default_of(parameter)
        if default is None:
            made = Expressions(self.prefilter, source.module)
            given = united([made.value(node) for node in self.prefilter.given(source, parameter.arg)])
            return given or UNKNOWN
        if isinstance(default, ast.Constant) and default.value is None:
            return UNKNOWN
        return Expressions(self.prefilter, source.module).value(default)

    def name(self, name: str) -> Atoms:
        found = self.names.get(name)
        if found is not None:
            return found
        if self.assigned is not None:
            later = self._later.get(name)
            if later is not None:
                assert self.source is not None
                self.names[name] = NOTHING
                value = self._default(self.source, later) if isinstance(later, ast.arg) else later.value()
                if name in self.assigned.names:
                    value = united([value, self.gathered(name) or NOTHING])
                del self._later[name]
                self.names[name] = value
                return value
            found = self.gathered(name)
            if found is not None:
                return found
        return bindings.of_module(self.prefilter, self.module, name)

    def gathered(self, key: str) -> Atoms | None:
        """The join of all assignments to a name or `.attribute` in the function; None if there are none."""
        assert self.assigned is not None
        known = self.names.get(key)
        if known is not None and key not in self._later:
            return known
        entries = self.assigned.names.get(key)
        if entries is None:
            return None
        self.names[key] = NOTHING  # ends cycles
        values: list[Atoms] = []
        appended: list[Atoms] = []
        ordered = True
        for how, node, position in entries:
            value = self.value(node)
            if how == "+" and len(value) == 1 and isinstance(value[0], Box):
                how = "extend"
            if how in ("=", "+", "add_module"):
                values.append(value)
            elif how == "append":
                appended.append(self._perhaps(node, value))
            elif how == "extend":
                inner = value[0] if len(value) == 1 else None
                if isinstance(inner, Box) and inner.ordered:
                    appended += [
                        self._perhaps(node, item) for item in inner.items
                    ] * 2  # twice, since it may stand in a loop
                else:
                    appended.append(elements(self, value))
                    ordered = False
            elif how == "element":
                values.append(elements(self, value))
            elif how == "part":
                values.append(part_of(self, value, position))
            elif how == "super":
                values.append(_inherited(self, node))
            elif how == "register_parameter":
                values.append((Cell(Store(tensor=True, leaf=True)),))
            else:
                values.append((Cell(Store(grad=False, tensor=True)),))
            self.names[key] = united(values)
        result = united(values)
        if appended:
            if all(isinstance(atom, Cell) for atom in result) and all(map(of_modules, appended)):
                result = (Box([], role="ModuleList"),)  # a container class from outside the project
            boxes = [atom for atom in result if isinstance(atom, Box)]
            ordered = ordered and len(values) == 1
            for box in boxes:
                box.items = [*box.items, *appended]
                box.ordered = box.ordered and ordered
            if not result:
                result = (Box(appended, ordered=False),)
        self.names[key] = result
        return result

    def _perhaps(self, node: ast.expr, value: Atoms) -> Atoms:
        """The value appended to a list; a module that a condition may leave out is also an `nn.Identity`."""
        assert self.assigned is not None
        if value and isinstance(value[0], (Layer, Object)) and self.assigned.may_be_skipped(node):
            return (*value, Layer("torch.nn.Identity", {}))
        return value


def of_modules(value: Atoms) -> bool:
    """Whether the value can only be torch modules or objects of project classes."""
    return bool(value) and all(
        isinstance(atom, (Layer, Object)) or (isinstance(atom, Box) and atom.role == "Sequential")
        for atom in value
    )


def classes_of(scope: Expressions, source: ClassSource) -> list[ClassSource | str]:
    """The MRO of a class; classes from outside the project stand in it as dotted names."""
    return scope.prefilter.classes.order(source)


def find_method(
    scope: Expressions, source: ClassSource, name: str, after: ClassSource | None = None
) -> Function | None:
    """The method with this name, found along the MRO, past the class `after` for `super()`."""
    method = scope.prefilter.classes.method(source, name, after)
    return None if method is None else Function(method)


def is_module(scope: Expressions, source: ClassSource) -> bool:
    """Whether a class derives from `nn.Module`, as far as its bases are known."""
    return scope.prefilter.classes.is_module(source)


def of_class(scope: Expressions, cls: Class, name: str) -> Atoms:
    """Class.name."""
    found = find_method(scope, cls.source, name)
    if found is not None:
        if found.source.descriptor == "classmethod":
            return (Function(found.source, (cls,)),)
        return (found,)
    if name == "apply":
        return (Method(cls, name),)
    for owner in classes_of(scope, cls.source):
        if isinstance(owner, str):
            continue
        expression = owner.assignments.get(name)
        if expression is not None:
            return Scope(scope.prefilter, owner.module).value(expression)
    return UNKNOWN if scope.dry else (Cell(Store()),)


def of_object(scope: Expressions, obj: Object, name: str) -> Atoms:
    """An attribute of an object of the project."""
    if obj.after is None:
        known = obj.slots.get(name)
        if known is not None:
            return known
    method = find_method(scope, obj.source, name, obj.after)
    if method is not None:
        how = method.source.descriptor
        if how == "staticmethod":
            return (method,)
        source = method.source
        at_hand = scope.source
        if (
            at_hand is not None
            and at_hand.origin is not None
            and obj.given
            and obj.source is at_hand.owner is not source.owner
            and source.module is at_hand.module
        ):  # its calls on `self` must resolve in the inheriting class too
            source = source.module.as_method_of(source, obj.source)
        bound = Function(source, (obj,))
        if how == "property":
            return scope.prefilter.call((bound,), Call(scope, [], {}, [], {}, True))
        return (bound,)
    inner = part(scope, obj)
    if obj.after is not None:
        return inner if inner and name in ("forward", "__call__") else (Method(obj, name),)
    value = _attribute_of(scope, obj, name)
    if value is None:
        for atom in inner:
            if isinstance(atom, Layer) and name.startswith(("weight", "bias", "running_")):
                return scope.prefilter.attribute(scope, (atom,), name)
        if table.has_module(name):
            return (Method(obj, name),)
        value = UNKNOWN
    if obj.given or not scope.dry:
        built_with = [held for held in obj.arguments.values() if isinstance(held, tuple)]
        shared = {cell.store for held in built_with for cell in cells(held)}
        value = own(value, obj.given and f"{obj.given}.{name}", shared)
    if obj.held:
        value = united([value, obj.held])
    obj.slots[name] = value
    return value


def _base(scope: Expressions, source: ClassSource) -> str:
    """The dotted name of the torch module that a class derives from; empty if none, or plain `nn.Module`."""
    for base in classes_of(scope, source):
        if isinstance(base, str) and base.startswith("torch.nn.") and base != "torch.nn.Module":
            return base
    return ""


def part(scope: Expressions, obj: Object) -> Atoms:
    """The base module that `super().__init__(…)` builds, where the class derives from a torch module."""
    known = obj.slots.get(PART)
    if known is None:
        known = obj.slots[PART] = NOTHING
        base = _base(scope, obj.source)
        if base:
            known = _attribute_of(scope, obj, PART[1:])
            if base.endswith(".Sequential") and _is_empty(known or NOTHING):
                known = _registered(scope, obj)
            if known is None and not base.endswith(("Sequential", "List", "Dict")):
                known = scope.prefilter.call((Symbol(base),), Call(scope, [], {}, [], {}, True))
            known = obj.slots[PART] = known or NOTHING
    return known


def contents(scope: Expressions, obj: Object) -> Atoms:
    """What `for x in obj` iterates: the modules in it, or what its `__iter__` (or `__getitem__`) gives."""
    inner = part(scope, obj)
    if inner or scope.dry:
        return inner
    given: Atoms = _asked(scope, obj, "__iter__") or (obj,)
    found: list[Atoms] = []
    for atom in given:
        if isinstance(atom, Object):
            element = _asked(scope, atom, "__next__") or _asked(scope, obj, "__getitem__")
            found.append((Box([element or NOTHING], ordered=False),))
        else:
            found.append((atom,))
    return united(found)


def _asked(scope: Expressions, obj: Object, name: str) -> Atoms | None:
    """The result of a special method such as `__iter__`; None where the class has none."""
    method = find_method(scope, obj.source, name)
    if method is None:
        return None
    scope.draws = True
    args: list[Atoms] = [NOTHING] * (len(method.source.parameters) - 1)
    return scope.prefilter.call(
        (Function(method.source, (obj,)),), Call(scope, args, {}, [None] * len(args), {}, True)
    )


def _is_empty(value: Atoms) -> bool:
    return all(isinstance(atom, Box) and not atom.items for atom in value)


def _registered(scope: Expressions, obj: Object) -> Atoms | None:
    """The modules that an `nn.Sequential` subclass assigns to attributes: they run in this order."""
    init = obj.source.methods.get("__init__")
    if init is None:
        return None
    inside = scope.prefilter.scope_of(obj, init, obj.arguments, scope.depth + 1)
    items: list[Atoms] = []
    for name in scope.prefilter.assigned(init).names:
        if name.startswith(".") and name != PART:
            value = inside.gathered(name) or NOTHING
            modules = tuple(
                a for a in value if isinstance(a, (Layer, Object)) or (isinstance(a, Box) and a.role)
            )
            if modules:
                items.append(modules)
    return (Box(items, True, "Sequential"),) if items else None


def _inherited(scope: Scope, node: ast.expr) -> Atoms:
    """The base module that a call of `super().__init__` builds."""
    owner = scope.source.owner if scope.source is not None else None
    base = "" if owner is None else _base(scope, owner)
    if not base or not isinstance(node, ast.Call):
        return NOTHING
    return scope.prefilter.call((Symbol(base),), evaluated(scope, node))


def _attribute_of(scope: Expressions, obj: Object, name: str) -> Atoms | None:
    """The value that `__init__` and the methods it calls assign to an attribute; else what other methods assign."""
    builders = _builders(scope, obj.source)
    plain: Atoms | None = None
    for building in (True, False):
        for cls in classes_of(scope, obj.source):
            if isinstance(cls, str):
                continue
            methods = [method for method in cls.methods.values() if (method.name in builders) is building]
            value = _assigned_in(scope, obj, cls, methods, name)
            if value:
                return value
            expression = cls.assignments.get(name) if building else None
            if expression is not None:
                return Scope(scope.prefilter, cls.module).value(expression)
            if value is not None:
                plain = value
    if plain is None and name != COMPUTED[1:] and not table.has_module(name):
        return _attribute_of(scope, obj, COMPUTED[1:])
    return plain


#: Words in the text of a method that assigns the base module, or an attribute with a computed name.
_WORDS = {PART[1:]: (b"super",), COMPUTED[1:]: (b"setattr(", b"add_module(")}


def _assigned_in(
    scope: Expressions, obj: Object, cls: ClassSource, methods: list[FunctionSource], name: str
) -> Atoms | None:
    found: list[Atoms] = []
    words = _WORDS.get(name) or (name.encode(),)
    for method in methods:
        if not (scope.prefilter.knows_assigned(method) or any(map(method.mentions, words))):
            continue  # a text search is cheaper than an index
        assigned = scope.prefilter.assigned(method).names.get(f".{name}")
        if assigned is None:
            continue
        arguments = obj.arguments if method.name == "__init__" and cls is obj.source else {}
        if scope.depth > 4:
            return UNKNOWN
        inside = scope.prefilter.scope_of(obj, method, arguments, scope.depth + 1)
        value = inside.gathered(f".{name}")
        # An attribute that starts as None is filled in elsewhere; one that starts as a number is no tensor.
        if value or (value is not None and not any(_is_none(node) for _, node, _ in assigned)):
            found.append(value)
    return united(found) if found else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _builders(scope: Expressions, source: ClassSource) -> frozenset[str]:
    """The names of `__init__` and of the methods that it calls on `self`, directly or through others."""
    known = scope.prefilter.builders.get(source)
    if known is not None:
        return known
    names = {"__init__"}
    pending = ["__init__"]
    methods = [cls.methods for cls in classes_of(scope, source) if not isinstance(cls, str)]
    calls = [f".{name}(".encode() for named in methods for name in named if name != "__init__"]
    while pending:
        name = pending.pop()
        for named in methods:
            method = named.get(name)
            if method is None or not method.parameters or not any(map(method.mentions, calls)):
                continue
            for called in scope.prefilter.asked(method).called(method.parameters[0].arg):
                if called not in names:
                    names.add(called)
                    pending.append(called)
    known = scope.prefilter.builders[source] = frozenset(names)
    return known
