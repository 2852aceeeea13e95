"""Decides whether code outside of a class sets an attribute that `__init__` was read for: a subclass, or a holder.

The same file is looked through for attention, the other files of the project for every fix.
`self.bias[:, :n] = 1` in a subclass, `block.attn.drop = nn.Identity()` or `setattr(block, name, layer)` in a function:
what the class itself says of the attribute does not hold for every object then.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..project.package_files import project_folder
from ..resolve.classes import heirs
from ..syntax.nodes import children, walk
from .mentioning_files import mentioning
from .set_anew import BY_ANY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..resolve.classes import Classes
    from ..syntax.files import Files
    from ..syntax.module import ClassSource, Module

_REGISTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
#: Limit of the other files that are parsed for one name.
_FILES = 100


@dataclass(frozen=True, slots=True)
class _Scope:
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
        for owner, name, is_prefix, node in _stores(cls.module.tree, _Scope(), set(cls.module.classes))
        if owner is None or owner in derived
        for name in (
            {one for one in (wanted if name else wanted & layers) if one.startswith(name)}
            if is_prefix
            else {name} & wanted
        )
    ]
    return min(((name, row) for row, name in found), key=lambda one: one[1], default=None)


class OtherFiles:
    """What the other files of a project set of the objects, classes and functions of one: `net.act = Mine()`.

    Also what subclasses there define anew, and what is stored by a name that is computed in a file that names a class
    of this one. Where too many files mention a name, it counts as set.
    """

    def __init__(self, files: Files, classes: Classes) -> None:
        self._files = files
        self._classes = classes
        self._known: dict[tuple[Module, str], bool] = {}

    def may_set(self, module: Module, name: str) -> bool:
        """Whether another file may set an attribute or a global of this name, which code of `module` reads."""
        key = (module, name)
        if key not in self._known:
            self._known[key] = self._stored_by_any_name(module) or self._find(module, name)
        return self._known[key]

    def _find(self, module: Module, name: str) -> bool:
        word = re.escape(name.encode())
        stores = rb"\.%s\b[^=\n]*=(?!=)|[\"']%s|\bdef %s\b|^\s+%s\b\s*[:=]" % ((word,) * 4)
        others = self._mentioning(module, [name], re.compile(stores, re.MULTILINE))
        return others is None or any(self._sets(other, module, name) for other in others)

    def _stored_by_any_name(self, module: Module) -> bool:
        key = (module, "")
        if key not in self._known:
            others = self._mentioning(module, module.classes, BY_ANY_NAME)
            self._known[key] = others is None or any(self._imports_from(other, module) for other in others)
        return self._known[key]

    def _mentioning(
        self, module: Module, names: Iterable[str], used: re.Pattern[bytes]
    ) -> list[Module] | None:
        folder = project_folder(module.filename, self._files.project.root)
        if folder is None:
            return []
        found = mentioning(self._files, module, names, folder, _FILES, used)
        return None if found is None else [one for one in found if one is not module]

    def _imports_from(self, other: Module, module: Module) -> bool:
        """Whether a class of `module` has a name at the top level of another file."""
        bound = (self._classes.names.definition(other, name) for name in module.classes)
        return any(one is not None and one.module is module for one in bound)

    def _sets(self, other: Module, module: Module, name: str) -> bool:
        for owner, stored, is_prefix, _ in _stores(other.tree, _Scope(), set(module.classes)):
            is_meant = bool(stored) and name.startswith(stored) if is_prefix else name == stored
            if is_meant and (owner is None or self._derives(other, owner, module)):
                return True
        return any(
            _binds(node, name) and self._derives(other, node, module)
            for node in walk(other.tree)
            if isinstance(node, ast.ClassDef)
        )

    def _derives(self, other: Module, node: ast.ClassDef, module: Module) -> bool:
        """Whether a class of another file derives from one of `module`; within a function, any does that has bases."""
        for cls in other.classes.values():
            if cls.node is node:
                return any(getattr(one, "module", None) is module for one in self._classes.order(cls))
        return bool(node.bases)


def _binds(node: ast.ClassDef, name: str) -> bool:
    """Whether the body of a class defines a method, or binds a name, of this name."""
    return any(
        getattr(one, "name", "") == name
        or any(getattr(target, "id", "") == name for target in getattr(one, "targets", ()))
        or getattr(getattr(one, "target", None), "id", "") == name
        for one in node.body
    )


#: The class that a store is made for by its own method (None: whoever holds the object does), the attribute, whether
#: that is only the beginning of its name, and the node.
_Store = tuple["ast.ClassDef | None", str, bool, "ast.stmt | ast.expr"]


def _stores(node: ast.AST, scope: _Scope, classes: set[str]) -> Iterator[_Store]:
    if isinstance(node, ast.ClassDef):
        scope = _Scope(owner=node)
    elif isinstance(node, _FUNCTIONS) and scope.owner is not None and not scope.receiver:
        given = [*node.args.posonlyargs, *node.args.args]
        scope = _Scope(scope.owner, given[0].arg if given else "", scope.other)
    elif isinstance(node, ast.If):
        yield from _stores(node.test, scope, classes)
        inside = _Scope(scope.owner, scope.receiver, scope.other | _of_other_classes(node.test, classes))
        for statement in node.body:
            yield from _stores(statement, inside, classes)
        for statement in node.orelse:
            yield from _stores(statement, scope, classes)
        return
    elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
        yield from _through(node, scope)
    elif isinstance(node, ast.Call):
        yield from _by_call(node, scope)
    for child in children(node):
        yield from _stores(child, scope, classes)


def _by_call(node: ast.Call, scope: _Scope) -> Iterator[_Store]:
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in _REGISTERS and node.args:
        yield from _by_name(func.value, node.args[0], node, scope)
    elif isinstance(func, ast.Attribute) and func.attr.endswith("_") and not func.attr.endswith("__"):
        yield from _through(func.value, scope)
    elif isinstance(func, ast.Name) and func.id == "setattr" and len(node.args) == 3:
        yield from _by_name(node.args[0], node.args[1], node, scope)


def _through(target: ast.expr, scope: _Scope) -> Iterator[_Store]:
    """Each attribute on the way to what is stored: `bias` and `attn` of `self.attn.bias[0]`."""
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        if isinstance(target, ast.Attribute) and not _is_other(target.value, scope):
            yield _owner(target.value, scope), target.attr, False, target
        target = target.value


def _by_name(held: ast.expr, name: ast.expr, node: ast.expr, scope: _Scope) -> Iterator[_Store]:
    if _is_other(held, scope):
        return
    begins = name.values[0] if isinstance(name, ast.JoinedStr) and name.values else name
    said = begins.value if isinstance(begins, ast.Constant) and isinstance(begins.value, str) else ""
    yield _owner(held, scope), said, begins is not name or not said, node


def _owner(held: ast.expr, scope: _Scope) -> ast.ClassDef | None:
    return scope.owner if isinstance(held, ast.Name) and held.id == scope.receiver else None


def _is_other(held: ast.expr, scope: _Scope) -> bool:
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
