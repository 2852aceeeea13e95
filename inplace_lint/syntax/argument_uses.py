"""Collects which attributes and methods a function uses on each of its arguments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .nodes import bound, children, walk

if TYPE_CHECKING:
    from collections.abc import Collection

    from .module import FunctionSource


class ArgumentUses:
    """The uses of a function's parameters; for `__init__`, also of the attributes that keep them."""

    def __init__(self, source: FunctionSource) -> None:
        self._uses: dict[str, set[str]] = {}
        #: name -> methods called on it
        self._called: dict[str, set[str]] = {}
        self._bound: set[str] = set()
        #: parameter of `__init__` -> attributes that keep it
        self._kept: dict[str, list[str]] = {}
        self._of_object: dict[str, set[str]] | None = None
        self._source = source
        keeps = source.name == "__init__" and source.owner is not None
        body = source.node.body
        pending: list[ast.AST] = [body] if isinstance(body, ast.expr) else [*body]
        while pending:
            node = pending.pop()
            kind = type(node)  # a class has thousands of nodes, and most are names
            if kind is ast.Name:
                if type(node.ctx) is not ast.Load:  # type: ignore[attr-defined]  # here and below: as `kind` says
                    self._bound.add(node.id)  # type: ignore[attr-defined]
            elif kind is not ast.Constant:
                pending += children(node)
                if kind is ast.Attribute:
                    _note_use(node, "", self._uses)
                elif kind is ast.Call:
                    _note_use(node, "", self._uses)
                    func = node.func  # type: ignore[attr-defined]
                    if type(func) is ast.Attribute and type(func.value) is ast.Name:
                        self._called.setdefault(func.value.id, set()).add(func.attr)
                elif keeps and isinstance(node, (ast.Assign, ast.AnnAssign)):
                    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                        self._keep(target, node.value, source.receiver)

    def called(self, name: str) -> Collection[str]:
        """The names of the methods that are called on a name."""
        return self._called.get(name, ())

    def of(self, name: str) -> frozenset[str]:
        """The attributes used on a parameter, and "" if it is called; for `__init__`, also on attributes that keep it.

        Empty where the name is bound again, so that it may not be the argument.
        """
        if name in self._bound:
            return frozenset()
        found = set(self._uses.get(name, ()))
        for attribute in self._kept.get(name, ()):
            found |= self._asked_of_attributes().get(attribute, set())
        return frozenset(found)

    def _asked_of_attributes(self) -> dict[str, set[str]]:
        if self._of_object is None:
            self._of_object = {}
            owner = self._source.owner
            for method in () if owner is None else owner.methods.values():
                for node in walk(method.node):
                    _note_use(node, method.receiver, self._of_object)
        return self._of_object

    def _keep(self, target: ast.expr, value: ast.expr | None, receiver: str) -> None:
        for one, given in [] if value is None else bound(target, value):
            attribute = _named(one, receiver)
            if attribute and isinstance(given, ast.Name):
                self._kept.setdefault(given.id, []).append(attribute)


def _note_use(node: ast.AST, receiver: str, uses: dict[str, set[str]]) -> None:
    """Notes a use of a name or, with a receiver, of its attributes."""
    asked = None
    if isinstance(node, ast.Call):
        asked = node.func
    elif isinstance(node, ast.Attribute):
        asked = node.value
    name = "" if asked is None else _named(asked, receiver)
    if name:
        uses.setdefault(name, set()).add(node.attr if isinstance(node, ast.Attribute) else "")


def _named(node: ast.expr, receiver: str) -> str:
    """The name of an expression or, with a receiver, of an attribute of it; else empty."""
    if not receiver:
        return node.id if isinstance(node, ast.Name) else ""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
        return node.attr
    return ""
