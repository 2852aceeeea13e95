"""Decides whether the other files of a project may replace what code of one file reads or calls: `net.act = Mine()`.

A fix that replaces a write is safe only where it is known who holds the tensor. What a layer, a method or a function
does is known from its own file; another file may put something else in its place, which keeps what it is given.
"""

from __future__ import annotations

import ast
import os
import re
from typing import TYPE_CHECKING

from ..project.package_files import project_folder
from ..syntax.nodes import walk
from .mentioning_files import mentioning
from .package_uses import is_set_elsewhere
from .set_anew import BY_ANY_NAME
from .set_elsewhere import Scope, stores

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..resolve.classes import Classes
    from ..syntax.files import Files
    from ..syntax.module import Module

#: Limit of the other files that are parsed for one name. Where more mention it, it counts as replaced.
_FILES = 100
#: Levels of subclasses in other files that are looked for.
_LEVELS = 3


class OtherFiles:
    """What the other files of a project set, override and replace, by the file that it concerns, computed on demand."""

    def __init__(self, files: Files, classes: Classes) -> None:
        self._files = files
        self._classes = classes
        self._known: dict[tuple[Module, str], bool] = {}
        self._around: dict[Module, list[ast.ClassDef] | None] = {}

    def may_replace(self, module: Module, name: str) -> bool:
        """Whether another file may set or override an attribute, method or global of this name that `module` uses."""
        key = (module, name)
        if key not in self._known:
            self._known[key] = (
                self._replaces_any(module)
                or self._overrides(module, name)
                or is_set_elsewhere(module, self._files.project, name)
            )
        return self._known[key]

    def _mentioning(self, module: Module, names: Iterable[str], used: bytes) -> list[Module] | None:
        folder = project_folder(module.filename, self._files.project.root)
        if folder is None:
            return []
        found = mentioning(self._files, module, names, folder, _FILES, used)
        return None if found is None else [one for one in found if one is not module]

    def _replaces_any(self, module: Module) -> bool:
        """Whether a file that imports this one, or a class of it, stores by a name that is computed."""
        key = (module, "")
        if key not in self._known:
            stem = os.path.basename(module.filename).removesuffix(".py")
            if stem == "__init__":
                stem = os.path.basename(os.path.dirname(os.path.abspath(module.filename)))
            others = self._mentioning(module, [stem, *module.classes], BY_ANY_NAME.pattern)
            names = {*module.classes, stem}
            self._known[key] = others is None or any(self._has(other, module, names) for other in others)
        return self._known[key]

    def _has(self, other: Module, module: Module, names: Iterable[str]) -> bool:
        """Whether one of these names stands for a file or for a class of it at the top level of another."""
        bound = (self._classes.names.definition(other, name) for name in {*names, *other.imports})
        return any(one is not None and (one.what is module or one.module is module) for one in bound)

    def _overrides(self, module: Module, name: str) -> bool:
        """Whether a subclass in another file, or a class beside it in its MRO, binds or sets a name."""
        if module not in self._around:
            self._around[module] = self._find_around(module)
        found = self._around[module]
        return found is None or any(
            _binds(node, name)
            or any(
                owner is node and (stored == name or (is_prefix and name.startswith(stored)))
                for owner, stored, is_prefix, _ in stores(node, Scope(), set())
            )
            for node in found
        )

    def _find_around(self, module: Module) -> list[ast.ClassDef] | None:
        """The classes of other files in the MRO of a class that derives from one of the file; None: too many."""
        found: dict[ast.ClassDef, None] = {}
        names = {*module.classes}
        for _ in range(_LEVELS if names else 0):
            words = b"|".join(re.escape(name.encode()) for name in sorted(names))
            used = rb"^\s*class\s+\w+\s*\([^:]*\b(?:%s)\b|=\s*(?:\w+\.)*(?:%s)\s*$|\b(?:%s)\s+as\b" % (
                words,
                words,
                words,
            )
            others = self._mentioning(module, sorted(names), used)
            if others is None:
                return None
            heirs = {
                node: other
                for other in others
                for node in walk(other.tree)
                if isinstance(node, ast.ClassDef) and self._derives(other, node, module, names)
            }
            for node, other in heirs.items():
                found[node] = None
                cls = other.classes.get(node.name)
                for one in self._classes.order(cls) if cls is not None and cls.node is node else ():
                    if not isinstance(one, str) and one.module is not module:
                        found[one.node] = None
            new = {node.name for node in heirs} - names
            if not new:
                break
            names = new
        return [*found]

    def _derives(self, other: Module, node: ast.ClassDef, module: Module, names: set[str]) -> bool:
        """Whether a class derives from one of `module`, by its MRO, or else by the name of a base."""
        cls = other.classes.get(node.name)
        order = self._classes.order(cls) if cls is not None and cls.node is node else ()
        return any(getattr(one, "module", None) is module for one in order) or any(
            getattr(base, "attr", getattr(base, "id", "")) in names for base in node.bases
        )


def _binds(node: ast.ClassDef, name: str) -> bool:
    """Whether the body of a class defines a method, or binds a name, of this name."""
    return any(
        getattr(one, "name", "") == name
        or any(getattr(target, "id", "") == name for target in getattr(one, "targets", ()))
        or getattr(getattr(one, "target", None), "id", "") == name
        for one in node.body
    )
