"""Resolves attribute reads: attributes of tensors, and attributes that the `__init__` of a project class assigns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..syntax.nodes import inner_bodies
from .terms import Term, ends, is_const, items

if TYPE_CHECKING:
    import ast
    from typing import Any

    from ..resolve.classes import Classes as Hierarchy
    from ..syntax.module import ClassSource, FunctionSource
    from .graph import Graph, Runner


class Classes:
    """The project classes in a value graph, with the attributes that their `__init__` assigns."""

    def __init__(self, hierarchy: Hierarchy, runner: Runner) -> None:
        self.hierarchy, self.runner = hierarchy, runner
        #: attributes that the functions in the graph assign
        self.written: set[str] = set()
        self._attributes: dict[ClassSource, dict[str, Term]] = {}
        #: attributes that `__init__` sets to something other than a constant
        self._first: dict[ClassSource, set[str]] = {}

    def order(self, source: ClassSource) -> list[ClassSource]:
        """The class and its bases in the project, nearest first."""
        return [one for one in self.hierarchy.order(source) if not isinstance(one, str)]

    def is_module(self, source: ClassSource) -> bool:
        return self.hierarchy.is_module(source)

    def method(self, source: ClassSource, name: str) -> FunctionSource | None:
        return self.hierarchy.method(source, name)

    def definition(self, term: Term) -> Term | None:
        """The term that `__init__` or the class body assigns to `obj.name`, a `phi` if conditional; None if unknown."""
        obj, name = term.args
        if obj.op != "instance" or name in self.written:
            return None
        held = self._of(obj.args[0])
        if name in held:
            return held[name]
        for cls in self.order(obj.args[0]):
            value = cls.assignments.get(name)
            if value is not None:
                return self.runner.constant(cls.module, value)
        return None

    def defines(self, source: ClassSource, name: str) -> bool:
        """Whether the class or one of its bases sets the attribute, in `__init__` or in its body."""
        return name in self._of(source) or any(name in cls.assignments for cls in self.order(source))

    def is_passed(self, term: Term) -> bool:
        """Whether a method other than `__init__` assigns the attribute, which then carries data from call to call."""
        obj, name = term.args
        if obj.op != "instance":
            return False
        self._of(obj.args[0])
        if name in self._first[obj.args[0]]:
            return False  # preallocated in `__init__`, so its size is fixed
        return name in self.written or any(name in _assigned_later(cls) for cls in self.order(obj.args[0]))

    def _of(self, cls: ClassSource) -> dict[str, Term]:
        held = self._attributes.get(cls)
        if held is not None:
            return held
        self._attributes[cls] = {}  # while its `__init__` runs, its attributes are unknown
        self._first[cls] = set()
        written = set(self.written)
        held = self._attributes[cls] = self.runner.built(cls)
        self.written = written
        self._first[cls] = {name for name, value in held.items() if not _is_plain(value)}
        for one in self.order(cls):
            for name in _assigned_later(one):
                held.pop(name, None)
        return held


def _is_plain(value: Term) -> bool:
    """Whether an attribute starts as a constant on every path through `__init__`."""
    return all(map(is_const, ends(value)))


def _assigned_later(cls: ClassSource) -> set[str]:
    """Attributes that a method other than `__init__` assigns, so that `__init__` does not determine their value."""
    if cls.assigned_later is None:
        cls.assigned_later = set()
        for method in cls.methods.values():
            if method.name != "__init__":
                cls.assigned_later |= assigned(method)
    return cls.assigned_later


def assigned(method: FunctionSource) -> set[str]:
    """Attributes of the receiver that a method assigns, directly or through a part of them (`self.drop.p = …`)."""
    if not method.parameters:
        return set()
    receiver = method.parameters[0].arg
    found: set[str] = set()
    pending: list[ast.stmt] = list(getattr(method.node, "body", ()))
    while pending:
        statement = pending.pop()
        targets: list[Any] = [*getattr(statement, "targets", ()), getattr(statement, "target", None)]
        targets += [item.optional_vars for item in getattr(statement, "items", ())]
        while targets:
            target = targets.pop()
            targets += getattr(target, "elts", ())
            while hasattr(target, "value"):  # an attribute, a subscript or a starred target
                if getattr(target.value, "id", "") == receiver and hasattr(target, "attr"):
                    found.add(target.attr)
                target = target.value
        for inner in inner_bodies(statement):
            pending += inner
    if b"setattr(" in method.text:
        found.update(name.decode() for name in re.findall(rb"['\"](\w+)['\"]", method.text))
    return found


def is_plain(source: FunctionSource) -> bool:
    """Whether a call runs the function's own body: unknown decorators may replace it."""
    decorators = getattr(source.node, "decorator_list", ())
    return all(
        getattr(d, "id", getattr(d, "attr", "")) in ("staticmethod", "classmethod", "property", "ignore")
        for d in decorators
    )


def attribute(graph: Graph, obj: Term, name: str, at: ast.AST) -> Term:
    """The term of `obj.name` for a tensor or an unknown object."""
    terms = graph.terms
    if obj.op == "instance":
        return terms("attr", obj, name, at=at)
    if name == "shape":
        return terms("shape", obj, at=at)
    if name in ("mT", "mH"):
        return terms("mT", obj, at=at)
    if name == "T":
        return terms("t", obj, at=at)
    if name in ("values", "indices") and obj.op == "max":
        return terms("amax", *obj.args, at=at) if name == "values" else terms.opaque(at, obj)
    if obj.op == "tuple" and items(obj) is not None:
        return terms.opaque(at, obj)
    return terms("member", obj, name, at=at)
