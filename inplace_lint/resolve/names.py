"""Resolves a name at the top level of a file to its definition, through imports and re-exports."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..syntax.module import ClassSource, FunctionSource, ImportedName, Module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, TypeAlias

    from ..syntax.files import Files

    #: what a name is bound to; a string is the dotted name of something outside the project, or of a builtin
    Bound: TypeAlias = FunctionSource | ClassSource | Module | ast.expr | str

    class Outside(Protocol):
        """What is known of names outside the project."""

        def knows(self, dotted: str, module: Module) -> bool:
            """Whether this dotted name exists, for `from somewhere import *` in a file."""

        def canonical(self, dotted: str) -> str:
            """The canonical name of something that can be imported by several names."""

        def bases(self, dotted: str) -> Sequence[str]:
            """The direct bases of a class."""

        def stand_in(self, dotted: str) -> ClassSource | None:
            """A readable class that acts like this one in all that the analysis looks at."""


#: Maximum number of `import *` of a package that are searched: each reads a whole file.
_STARS = 16
_BUILTINS = frozenset(vars(builtins))
_PLAIN = re.compile(rb"(?:^|;)[ \t]*import[ \t]+([\w., \t]+)", re.MULTILINE)
#: Maximum length of a chain of aliases.
_ALIASES = 4


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name stands for, with the file and the name that bind it.

    `sure` is False where that file binds the name again, so that it may have another value by the time of use.
    """

    what: Bound
    module: Module
    name: str
    sure: bool = True


class Names:
    """Resolves names in the files of a project."""

    def __init__(self, files: Files, outside: Outside) -> None:
        self.files = files
        self.outside = outside
        self._found: dict[tuple[Module, str], Definition | None] = {}
        self._plain: dict[Module, frozenset[str]] = {}

    def definition(self, module: Module, name: str) -> Definition | None:
        """The definition of a global name, or the builtin; None if it is unknown.

        As in Python, a submodule is an attribute of its package.
        """
        key = (module, name)
        if key not in self._found:
            self._found[key] = None  # ends import cycles
            self._found[key] = self._find(module, name)
        return self._found[key]

    def _find(self, module: Module, name: str) -> Definition | None:
        if name in module.imports and name not in module.functions and name not in module.classes:
            binding = module.imports[name]
            found = self.imported(module, binding.module, binding.member, binding.level)
            instead = module.instead.get(name)
            if instead is not None and self._lacks(module, binding, found):
                return self.imported(module, instead.module, instead.member, instead.level)
            return found
        for bound in (module.functions, module.classes, module.assignments, module.unpacked):
            if name in bound:
                return Definition(bound[name], module, name, name not in module.multiple)
        if name in module.multiple:
            return None
        found = self._by_a_star(module, name)
        if found is None and name in _BUILTINS:
            return Definition(f"builtins.{name}", module, name)
        return found or self._submodule(module, name)

    def _lacks(self, module: Module, binding: ImportedName, found: Definition | None) -> bool:
        """Whether an import names a part of the project that it lacks, such as a compiled one."""
        if found is not None and not isinstance(found.what, str):
            return False
        top = binding.module.partition(".")[0]
        return bool(binding.level) or self.files.resolve(top, module.filename, 0) is not None

    def _by_a_star(self, module: Module, name: str) -> Definition | None:
        for star, level in module.stars[:_STARS]:
            target = self.files.resolve(star, module.filename, level)
            if target is None:
                dotted = f"{star}.{name}"
                if not level and self.outside.knows(dotted, module):
                    return self._outside(dotted, module, name)
            elif target.binds(name) or target.stars:
                found = self.definition(target, name)
                if found is not None and not _is_builtin(found):
                    return found
        return None

    def _submodule(self, module: Module, name: str) -> Definition | None:
        if not module.filename.endswith("__init__.py"):
            return None
        target = self.files.resolve(name, module.filename, 1)
        return None if target is None else Definition(target, module, name)

    def imported(self, module: Module, name: str, member: str | None, level: int) -> Definition | None:
        """The definition that `from name import member`, or `import name`, binds in a file; None if it is unknown."""
        dotted = name if member is None else f"{name}.{member}"
        if level or name.partition(".")[0] != "torch":
            found = self.files.imported(module, name, member, level)
            if found is not None:
                target, bound = found
                if bound is None:
                    return Definition(target, module, dotted)
                made = self.definition(target, bound) if target.binds(bound) or target.stars else None
                return None if made is not None and _is_builtin(made) else made
            if level:
                return None
        return self._outside(dotted, module, dotted)

    def attribute(self, module: Module, dotted: str, name: str) -> Definition:
        """The definition of `dotted.name` in a file, where `dotted` is outside the project.

        A namespace package (a folder without `__init__.py`) looks like that until `import folder.file` binds the file.
        """
        whole = f"{dotted}.{name}"
        plain = whole in self._plain_imports(module)
        target = self.files.resolve(whole, module.filename, 0) if plain else None
        return self._outside(whole, module, whole) if target is None else Definition(target, module, whole)

    def _outside(self, dotted: str, module: Module, name: str) -> Definition:
        """The definition for an outside name: the name itself, or a class to read in its place."""
        dotted = self.outside.canonical(dotted)
        read = self.outside.stand_in(dotted)
        return Definition(dotted, module, name) if read is None else Definition(read, read.module, read.name)

    def _plain_imports(self, module: Module) -> frozenset[str]:
        """The whole names of a file's plain imports, `a.b` of `import a.b`, at its top level and in functions."""
        known = self._plain.get(module)
        if known is None:
            rows = _PLAIN.findall(module.source) if b"import " in module.source else ()
            names = [one.split()[0] for row in rows for one in row.split(b",") if one.strip()]
            known = self._plain[module] = frozenset(name.decode() for name in names)
        return known

    def resolve(self, module: Module, node: ast.expr, aliases: int = _ALIASES) -> Definition | None:
        """The definition of `a.b.c` at the top level of a file, through aliases; None for other expressions."""
        found = self.bound(module, node, aliases)
        return None if found is None or isinstance(found.what, ast.expr) else found

    def bound(self, module: Module, node: ast.expr, aliases: int = _ALIASES) -> Definition | None:
        """As `resolve`, but also where `a.b.c` is bound to what an expression makes, such as `Registry()`."""
        if isinstance(node, ast.Name):
            found = self.definition(module, node.id)
        elif isinstance(node, ast.Attribute):
            whole = self.bound(module, node.value, aliases)
            if whole is not None and isinstance(whole.what, Module):
                found = self.definition(whole.what, node.attr)
            elif whole is not None and isinstance(whole.what, str):
                found = self.attribute(module, whole.what, node.attr)
            else:
                return None
        else:
            return None
        if found is not None and isinstance(found.what, (ast.Name, ast.Attribute)):
            return self.bound(found.module, found.what, aliases - 1) if found.sure and aliases else None
        return found


def _is_builtin(found: Definition) -> bool:
    """Whether it is a builtin, which no file exports."""
    return isinstance(found.what, str) and found.what.startswith("builtins.")
