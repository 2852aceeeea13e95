"""Decides whether code outside of a class sets an attribute that `__init__` was read for: a subclass, or a holder.
`self.bias[:, :n] = 1` in a subclass, `block.attn.drop = nn.Identity()` or `setattr(block, name, layer)` in a function:
what the class itself says of the attribute does not hold for every object then.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..resolve.classes import heirs
from ..syntax.nodes import children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..syntax.module import ClassSource

_REGISTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a statement stands: the class whose method it is in, the name of its receiver, names of a known class.

    `other`: names that an `isinstance` test around the statement says to be of a class that the file does not define.
    """

    owner: ast.ClassDef | None = None
    receiver: str = ""
    other: frozenset[str] = frozenset()


def line_that_sets(cls: ClassSource, names: Iterable[str], layers: set[str]) -> tuple[str, int] | None:
    """The first of these attributes that is set elsewhere in the file, and the line; None if none is.

    `setattr` by a name that is not known exchanges layers, those of `named_children()`: it concerns `layers` alone.
    """
    wanted = set(names)
    derived = {one.node for one in heirs(cls)}
    found = [
        (node.lineno, name)
        for owner, name, is_prefix, node in stores(cls.module.tree, Scope(), set(cls.module.classes))
        if owner is None or owner in derived
        for name in (
            {one for one in (wanted if name else wanted & layers) if one.startswith(name)}
            if is_prefix
            else {name} & wanted
        )
    ]
    return min(((name, row) for row, name in found), key=lambda one: one[1], default=None)


#: The class that a store is made for by its own method (None: whoever holds the object does), the attribute, whether
#: that is only the beginning of its name, and the node.
Store = tuple["ast.ClassDef | None", str, bool, "ast.stmt | ast.expr"]


def stores(node: ast.AST, scope: Scope, classes: set[str]) -> Iterator[Store]:
    """All stores below a node; those into what an `isinstance` test says to be of none of `classes` are left out."""
    if isinstance(node, ast.ClassDef):
        scope = Scope(owner=node)
    elif isinstance(node, _FUNCTIONS) and scope.owner is not None and not scope.receiver:
        given = [*node.args.posonlyargs, *node.args.args]
        scope = Scope(scope.owner, given[0].arg if given else "", scope.other)
    elif isinstance(node, ast.If):
        yield from stores(node.test, scope, classes)
        inside = Scope(scope.owner, scope.receiver, scope.other | _of_other_classes(node.test, classes))
        for statement in node.body:
            yield from stores(statement, inside, classes)
        for statement in node.orelse:
            yield from stores(statement, scope, classes)
        return
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        yield from _through(node, scope)
    elif isinstance(node, ast.Call):
        yield from _by_call(node, scope)
    for child in children(node):
        yield from stores(child, scope, classes)


def _by_call(node: ast.Call, scope: Scope) -> Iterator[Store]:
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in _REGISTERS and node.args:
        yield from _by_name(func.value, node.args[0], node, scope)
    elif isinstance(func, ast.Attribute) and func.attr.endswith("_") and not func.attr.endswith("__"):
        yield from _through(func.value, scope)
    elif isinstance(func, ast.Name) and func.id == "setattr" and len(node.args) == 3:
        yield from _by_name(node.args[0], node.args[1], node, scope)


def _through(target: ast.expr, scope: Scope) -> Iterator[Store]:
    """Each attribute on the way to what is stored: `bias` and `attn` of `self.attn.bias[0]`."""
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        if isinstance(target, ast.Attribute) and not _is_other(target.value, scope):
            yield _owner(target.value, scope), target.attr, False, target
        target = target.value


def _by_name(held: ast.expr, name: ast.expr, node: ast.expr, scope: Scope) -> Iterator[Store]:
    if _is_other(held, scope):
        return
    begins = name.values[0] if isinstance(name, ast.JoinedStr) and name.values else name
    said = begins.value if isinstance(begins, ast.Constant) and isinstance(begins.value, str) else ""
    yield _owner(held, scope), said, begins is not name or not said, node


def _owner(held: ast.expr, scope: Scope) -> ast.ClassDef | None:
    return scope.owner if isinstance(held, ast.Name) and held.id == scope.receiver else None


def _is_other(held: ast.expr, scope: Scope) -> bool:
    return isinstance(held, ast.Name) and held.id in scope.other


def _of_other_classes(test: ast.expr, classes: set[str]) -> frozenset[str]:
    """The names that an `isinstance(m, nn.Linear)` in a test says to be of no class of the file."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return frozenset().union(*(_of_other_classes(one, classes) for one in test.values))
    if not isinstance(test, ast.Call) or getattr(test.func, "id", "") != "isinstance" or len(test.args) != 2:
        return frozenset()
    asked = getattr(test.args[1], "elts", None) or [test.args[1]]
    known = all(
        one.attr != "Module" if isinstance(one, ast.Attribute) else getattr(one, "id", "") not in classes
        for one in asked
    )
    return frozenset({test.args[0].id}) if known and isinstance(test.args[0], ast.Name) else frozenset()
