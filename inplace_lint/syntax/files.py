"""Parses the files of a project on demand, and caches them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..project.contents import digest
from . import search_paths
from .module import Module
from .unreadable import UnreadableFile

if TYPE_CHECKING:
    from ..project.modules import Project


#: Numbers of importers from which a file is kept in memory; the next applies when more than `_LASTING` files would be.
_IMPORTERS = (1, 8, 64)
_LASTING = 3_000


class Files:
    """The files under check, and those that they import."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._modules: dict[str, Module | None] = {}
        #: file -> files that import it
        self._importers: dict[str, set[str]] = {}
        #: digests of the files as they were read
        self._digests: dict[str, str | None] = {}
        self._kept = self._bytes = 0
        #: files kept together with what is known of them
        self.lasting: set[str] = set()

    def grown(self) -> int:
        """The number of files read since the last renewal."""
        return len(self._modules) - self._kept

    def size(self) -> int:
        """How many bytes the files have that were read since the last renewal."""
        return self._bytes

    def renew(self) -> Files:
        """A new instance that keeps the files many others import; the trees of all others are released."""
        return self._only(self._in_demand())

    def without(self, changed: set[str]) -> Files:
        """A new instance without the changed files and their direct or indirect importers, whose trees are released."""
        pending, gone = list(changed), set()
        while pending:
            filename = pending.pop()
            if filename not in gone:
                gone.add(filename)
                pending.extend(self._importers.get(filename, ()))
        return self._only(self._modules.keys() - gone)

    def changed(self) -> set[str]:
        """The files whose content differs from what was read."""
        now = self.project.contents.digest
        return {name for name, held in self._digests.items() if now(os.path.abspath(name)) != held}

    def _only(self, lasting: set[str]) -> Files:
        renewed = Files(self.project)
        renewed.lasting = lasting
        for filename, module in self._modules.items():
            if filename in lasting:
                renewed._modules[filename] = module
                renewed._digests[filename] = self._digests.get(filename)
            elif module is not None:
                module.let_go()
        for filename, importers in self._importers.items():
            if filename in lasting:
                renewed._importers[filename] = importers & lasting
        self._modules = {}
        renewed._kept = len(renewed._modules)
        return renewed

    def _in_demand(self) -> set[str]:
        """The files with many importers, and all files that these import."""
        imports: dict[str, set[str]] = {}
        for filename, importers in self._importers.items():
            for importer in importers:
                imports.setdefault(importer, set()).add(filename)
        found: set[str] = set()
        for many in _IMPORTERS:
            pending = [name for name in self._modules if len(self._importers.get(name, ())) >= many]
            found = set()
            while pending:
                filename = pending.pop()
                if filename not in found:
                    found.add(filename)
                    pending.extend(imports.get(filename, ()))
            if len(found) <= _LASTING:
                break
        return found

    def holds(self, module: Module) -> bool:
        """Whether this module is the current one for its file."""
        return self._modules.get(module.filename) is module

    def add(self, module: Module) -> None:
        self._begin(module)
        if not self.holds(module):
            self._modules[module.filename] = module
            self._digests[module.filename] = digest(module.original)
            self._bytes += len(module.original)

    def _begin(self, module: Module) -> None:
        """Tells the module and the project what they need of each other."""
        module.writers = self.project.writers
        folders = search_paths.added(module)
        if folders:
            self.project.added[module.filename] = folders
        else:
            self.project.added.pop(module.filename, None)

    def known(self, filename: str) -> Module | None:
        """The current module of a file, if it was read."""
        return self._modules.get(filename)

    def put_back(self, filename: str, module: Module | None) -> None:
        """Restores the earlier module of a file."""
        if module is None:
            self._modules.pop(filename, None)
            self._digests.pop(filename, None)
        else:
            self.add(module)

    def read(self, filename: str, source: bytes) -> Module:
        """Parses a file with this text, unless it is cached. Raises UnreadableFile."""
        held = self._modules.get(filename)
        if held is None or held.original != source:
            held = Module(filename, source)
            self.add(held)
        return held

    def module(self, filename: str) -> Module | None:
        """The parsed file; None if it cannot be read, which its own check reports."""
        if filename not in self._modules:
            source = None
            module = None
            try:
                source = self.project.contents.read(filename)
                module = Module(filename, source)
                self._begin(module)
            except (OSError, UnreadableFile, RecursionError):
                pass
            self._modules[filename] = module
            self._digests[filename] = None if source is None else digest(source)
            self._bytes += len(source or b"")
        return self._modules[filename]

    def resolve(self, module: str, importer: str, level: int) -> Module | None:
        """The project file that an import refers to, or None."""
        filename = self.project.resolve(module, importer, level)
        if filename is None:
            return None
        importers = self._importers.get(filename)
        if importers is None:
            importers = self._importers[filename] = set()
        importers.add(importer)
        return self.module(filename)

    def imported(
        self, importer: Module, name: str, member: str | None, level: int
    ) -> tuple[Module, str | None] | None:
        """What `from name import member` or `import name` refers to in the project: a file, or a name in it."""
        target = self.resolve(name, importer.filename, level)
        if target is None and member is not None and name:
            # `name` may be a folder without `__init__.py`.
            file = self.resolve(f"{name}.{member}", importer.filename, level)
            return None if file is None else (file, None)
        if target is None or member is None:
            return None if target is None else (target, member)
        if (
            target.binds(member) and target is not importer
        ):  # `from . import file` binds `file` in its own `__init__`
            return target, member
        # Submodules come before star imports, whose look-up reads every file that they name.
        submodule = self.resolve(f"{name}.{member}" if name else member, importer.filename, level)
        return (target, member) if submodule is None else (submodule, None)
