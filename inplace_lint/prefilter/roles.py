"""Infers which classes of a file fit a parameter, from the attributes and calls used on it (duck typing)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..syntax.annotations import annotated
from ..syntax.module import ClassSource
from ..syntax.nodes import children_at, walk
from ..torchmodel import table
from ..torchmodel.spelling import are_of_data, are_optimizers
from .name_uses import NameUses, spelled
from .source_words import mentions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource, Module
    from .prefilter import Prefilter

#: Calls through which an argument is followed.
_DEPTH = 5
#: Nested loops over an argument that are followed.
_NESTED = 3
#: Builtins that iterate over their arguments.
_GO_OVER = frozenset("enumerate filter iter list map next tuple zip".split())
#: Attributes of strings and containers.
_SHARED = frozenset(name for kind in (dict, list, set, str) for name in dir(kind))


@dataclass
class Asked:
    """The uses of a value: its attributes, the argument counts of calls of it, and `each`, those of its elements."""

    names: set[str] = field(default_factory=set)
    counts: set[int] = field(default_factory=set)
    called: bool = False
    #: `f(x).backward()`, or a backward of arithmetic on such calls
    loss: bool = False
    #: `getattr(x, name)` with a computed name
    by_name: bool = False
    #: it is iterated over
    over: bool = False
    each: Asked | None = None

    def add(self, other: Asked, depth: int = _NESTED) -> None:
        """Adds the uses of another value; `depth` limits nested `each`."""
        self.names |= other.names
        self.counts |= other.counts
        self.called = self.called or other.called
        self.loss = self.loss or other.loss
        self.by_name = self.by_name or other.by_name
        self.over = self.over or other.over
        if other.each is not None and depth:
            self.each = self.each or Asked()
            self.each.add(other.each, depth - 1)

    def is_optimizer(self) -> bool:
        """Whether it is stepped and cleared, and used only as any optimizer can be."""
        return {"step", "zero_grad"} <= self.names and all(map(table.has_optimizer, self.names))

    def is_of_modules(self) -> bool:
        """Whether it is used as only a module can be, and neither an optimizer nor a tensor."""
        return any(
            table.has_module(name) and not table.has_optimizer(name) and table.method(name) is None
            for name in self.names
        )


class Roles:
    """The classes of a file, and the uses of the parameters of its functions."""

    def __init__(self, prefilter: Prefilter, module: Module) -> None:
        self.module = module
        self._names, self._classes = prefilter.names, prefilter.classes
        self._of: dict[tuple[FunctionSource, str], Asked] = {}
        self._uses: dict[FunctionSource, NameUses] = {}
        self._attributes: dict[ClassSource, dict[str, Asked]] = {}
        self._methods: dict[str, list[FunctionSource]] = {}
        for cls in module.classes.values():
            for name, method in cls.methods.items():
                self._methods.setdefault(name, []).append(method)
        #: classes that the file instantiates or passes on
        self.built = _used(module)
        self._bases = {
            base
            for cls in module.classes.values()
            for base in self.order(cls)
            if not isinstance(base, str) and base is not cls
        }

    def order(self, cls: ClassSource) -> list[ClassSource | str]:
        return self._classes.order(cls)

    def is_module(self, cls: ClassSource) -> bool:
        return self._classes.is_module(cls)

    def is_optimizer(self, cls: ClassSource) -> bool:
        return are_optimizers(base for base in self.order(cls) if isinstance(base, str))

    def method(self, cls: ClassSource, name: str) -> FunctionSource | None:
        return self._classes.method(cls, name)

    def leaves(self, cls: ClassSource) -> list[ClassSource]:
        """The class, or if it is a base class in the file, the classes derived from it that have no subclasses."""
        if cls not in self._bases:
            return [cls]
        return [c for c in self.module.classes.values() if c not in self._bases and cls in self.order(c)]

    def uses(self, source: FunctionSource) -> NameUses:
        """The cached uses of the names in a function."""
        known = self._uses.get(source)
        if known is None:
            known = self._uses[source] = NameUses(source)
        return known

    # Uses

    def of(self, source: FunctionSource, name: str, depth: int = _DEPTH) -> Asked:
        """The uses of a parameter; for `__init__`, also the uses of the attributes that keep it."""
        known = self._of.get((source, name))
        if known is None:
            known = self._of[source, name] = Asked()
            self._collect(source, name, known, depth)
            owner = source.owner
            if source.name == "__init__" and owner is not None:
                for attribute in self.uses(source).kept.get(name, ()):
                    for cls in self.leaves(owner):
                        known.add(self._of_attribute(cls, attribute, depth))
        return known

    def _of_attribute(self, cls: ClassSource, name: str, depth: int) -> Asked:
        known = self._attributes.setdefault(cls, {})
        if name not in known:
            known[name] = Asked()
            for owner in self.order(cls):
                for method in () if isinstance(owner, str) else owner.methods.values():
                    if method.receiver:
                        self._collect(method, f"{method.receiver}.{name}", known[name], depth)
        return known[name]

    def _collect(self, source: FunctionSource, name: str, found: Asked, depth: int) -> None:
        """Adds to `found` how a function uses a name, or an attribute of a name."""
        for node in self.uses(source).of.get(name, ()):
            if isinstance(node, ast.Attribute):
                if spelled(node.value) == name:
                    found.names.add(node.attr)
                else:
                    found.loss = True
            elif isinstance(node, ast.Call):
                self._of_call(node, source, name, found, depth)
            elif isinstance(node, ast.Assign):
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    found.loss = found.loss or _runs_backward_of(source.node, target.id)
            elif isinstance(node, (ast.For, ast.comprehension)):
                found.over = True
                if isinstance(node.target, ast.Name) and depth > 0:  # the depth also ends `for x in x`
                    found.each = found.each or Asked()
                    self._collect(source, node.target.id, found.each, depth - 1)

    def _of_call(self, node: ast.Call, source: FunctionSource, name: str, found: Asked, depth: int) -> None:
        if spelled(node.func) == name:
            found.called = True
            if not any(isinstance(one, ast.Starred) for one in node.args):
                found.counts.add(len(node.args) + len(node.keywords))
        places: list[int | str] = [i for i, one in enumerate(node.args) if spelled(one) == name]
        places += [k.arg for k in node.keywords if k.arg and spelled(k.value) == name]
        if not places:
            return
        found.over = found.over or getattr(node.func, "id", "") in _GO_OVER
        if getattr(node.func, "id", "") == "getattr" and not isinstance(node.args[-1], ast.Constant):
            found.by_name = True
        for callee in self._called(node.func, source.owner) if depth > 0 else ():
            rest = callee.parameters[1:] if callee.owner is not None else callee.parameters
            names = [parameter.arg for parameter in (*rest, *callee.node.args.kwonlyargs)]
            for at in places:
                given = at if isinstance(at, str) else names[at] if at < len(rest) else ""
                if given in names:
                    found.add(self.of(callee, given, depth - 1))

    def _called(self, func: ast.expr, owner: ClassSource | None) -> list[FunctionSource]:
        """The functions of the file that a call may enter, judged by name only."""
        if isinstance(func, ast.Name):
            if func.id in self.module.functions:
                return [self.module.functions[func.id]]
            cls = self.module.classes.get(func.id)
            init = None if cls is None else self.method(cls, "__init__")
            return [] if init is None else [init]
        if isinstance(func, ast.Attribute):
            if owner is not None and getattr(getattr(func.value, "func", None), "id", "") == "super":
                above = self._classes.method(owner, func.attr, after=owner)
                return [] if above is None else [above]
            methods = self._methods.get(func.attr, [])
            if len(methods) == 1 and not table.has_module(func.attr) and not table.has_optimizer(func.attr):
                return methods
        return []

    # Fitting classes

    def given(self, function: FunctionSource) -> Iterator[tuple[ast.arg, list[ClassSource]]]:
        """Yields the parameters that fit classes of the file, or containers of their objects."""
        for parameter in parameters_of(function):
            classes = self.fitting(function, parameter) or self.elements(function, parameter)
            if classes:
                yield parameter, classes

    def may_be_another(self, source: FunctionSource, parameter: ast.arg, cls: ClassSource) -> bool:
        """Whether a second parameter that fits the same class may get another object of it."""
        asked = self.of(source, parameter.arg)
        return asked.is_of_modules() or self._is_meant(cls, asked)

    def fitting(self, source: FunctionSource, parameter: ast.arg) -> list[ClassSource]:
        """The classes of the file that fit a parameter, by its annotation or its uses.

        Classes that the file never instantiates come first. Base classes are left out, and so are classes whose objects
        are passed to constructors of other fitting classes.
        """
        named = self.module.classes.get(annotated(parameter.annotation))
        asked = self.of(source, parameter.arg)
        if named is not None:
            found = self.leaves(named)
        elif not (asked.names or asked.called or asked.over):
            return []
        else:
            found = [
                cls
                for cls in self.module.classes.values()
                if cls not in self._bases and cls is not source.owner and self.fits(cls, asked)
            ]
            if asked.loss and not asked.names:
                found = [cls for cls in found if not self._has_weights(cls)]
        unbuilt = [cls for cls in found if cls.name not in self.built]
        if unbuilt or named is not None:
            return self._outermost(unbuilt or found)
        return [cls for cls in found if self._is_meant(cls, asked)] if len(found) == 1 else []

    def elements(self, source: FunctionSource, parameter: ast.arg) -> list[ClassSource]:
        """Classes that are never instantiated and fit the elements of a parameter, as callbacks in a loop do."""
        each = self.of(source, parameter.arg).each
        if each is None:
            return []
        whole = source if source.owner is None else source.owner
        return [
            cls
            for cls in self.module.classes.values()
            if cls not in self._bases
            and cls.name not in self.built
            and (self.fits(cls, each) or (each.by_name and self._is_named(cls, whole.node)))
        ]

    def _is_named(self, cls: ClassSource, within: ast.AST) -> bool:
        """Whether a string in the code names a method of the class."""
        methods = {name for owner in self.order(cls) if not isinstance(owner, str) for name in owner.methods}
        return any(isinstance(node, ast.Constant) and node.value in methods for node in walk(within))

    def _outermost(self, classes: list[ClassSource]) -> list[ClassSource]:
        """The classes without those whose objects are passed to constructors of the others."""
        if len(classes) < 2:
            return classes
        parts: set[ClassSource] = set()
        for cls in classes:
            init = self.method(cls, "__init__")
            for parameter in () if init is None else init.parameters[1:]:
                asked = self.of(init, parameter.arg) if init is not None else Asked()
                parts.update(one for one in classes if one is not cls and self.fits(one, asked))
        return [cls for cls in classes if cls not in parts] or classes

    def fits(self, cls: ClassSource, asked: Asked) -> bool:
        """Whether objects of a class support all these uses, one of which must be specific enough to suggest it."""
        module, optimizer = self.is_module(cls), self.is_optimizer(cls)
        if asked.called:
            call = self.method(cls, "__call__") or (self.method(cls, "forward") if module else None)
            if call is None or not all(takes(call, count) for count in asked.counts):
                return False
        for name in asked.names:
            known = (module and table.has_module(name)) or (optimizer and table.has_optimizer(name))
            if not known and not self._has(cls, name):
                return False
        if asked.called or (optimizer and asked.is_optimizer()) or (asked.over and self._hands_out(cls)):
            return True
        return (module and asked.is_of_modules()) or self._is_meant(cls, asked)

    def _hands_out(self, cls: ClassSource) -> bool:
        """Whether a class defines `__iter__` and is not a dataset, which only a DataLoader would iterate over."""
        bases = [base for base in self.order(cls) if isinstance(base, str)]
        return self.method(cls, "__iter__") is not None and not are_of_data(bases)

    def _is_meant(self, cls: ClassSource, asked: Asked) -> bool:
        """Whether one of the used attributes belongs to this class and to no tensor, module, optimizer or container."""
        return any(
            table.method(name) is None
            and name not in _SHARED
            and not table.has_module(name)
            and not table.has_optimizer(name)
            and self._has(cls, name)
            for name in asked.names
        )

    def _has_weights(self, cls: ClassSource) -> bool:
        """Whether the class creates parameters or modules in `__init__`, or derives from a layer with weights."""
        for owner in self.order(cls):
            init = None if isinstance(owner, str) else owner.methods.get("__init__")
            for node in () if init is None else walk(init.node):
                made = self._names.resolve(self.module, node.func) if isinstance(node, ast.Call) else None
                if made is not None and isinstance(made.what, str) and made.what.startswith("torch.nn."):
                    return True
                if made is not None and isinstance(made.what, ClassSource) and self.is_module(made.what):
                    return True
        layers = [table.module(base) for base in self.order(cls) if isinstance(base, str)]
        return any(layer is not None and layer.has_weights({}) for layer in layers)

    def _has(self, cls: ClassSource, name: str) -> bool:
        for owner in self.order(cls):
            if isinstance(owner, str):
                continue
            if name in owner.methods or name in owner.assignments:
                return True
            if any(name in self.uses(method).sets for method in owner.methods.values()):
                return True
        return False


def parameters_of(function: FunctionSource) -> list[ast.arg]:
    """The parameters of a function, without the receiver of a method."""
    first = 1 if function.receiver else 0
    return [*function.parameters[first:], *function.node.args.kwonlyargs]


def takes(function: FunctionSource, count: int) -> bool:
    """Whether a method can be called with `count` arguments besides its receiver."""
    rest = function.parameters[1:]
    needed = sum(function.default_of(parameter) is None for parameter in rest)
    arguments = function.node.args
    most = len(rest) + len(arguments.kwonlyargs)
    return needed <= count and (count <= most or arguments.vararg is not None)


def _runs_backward_of(root: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == "backward"
        and any(isinstance(one, ast.Name) and one.id == name for one in walk(node.value))
        for node in walk(root)
    )


def _used(module: Module) -> set[str]:
    """The classes that a file calls or passes on, not those that it only names as a base, type or in `isinstance`."""
    found: set[str] = set()
    rows = mentions(module, set(module.classes))
    for statement in module.tree.body:
        own = getattr(statement, "name", "")
        pending: list[ast.AST] = [statement]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Name):
                if node.id != own and node.id in module.classes:
                    found.add(node.id)
            elif not isinstance(node, ast.Constant):
                aside = _aside(node)
                below = children_at(node, rows)
                pending += [one for one in below if one not in aside] if aside else below
    return found


def _aside(node: ast.AST) -> list[ast.expr]:
    """The child expressions that name classes without using them as values: bases, annotations, `isinstance`."""
    if isinstance(node, ast.ClassDef):
        return node.bases
    if isinstance(node, (ast.arg, ast.AnnAssign)):
        return [] if node.annotation is None else [node.annotation]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [] if node.returns is None else [node.returns]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "issubclass"):
        return node.args[1:]
    return []
