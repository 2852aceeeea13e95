"""The parsed files of a project: each is parsed when first asked for, and kept."""

from __future__ import annotations

from .module import Module
from .parse import UnreadableFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..project.modules import Project


class Files:
    """The files under check and those that they import."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._modules: dict[str, Module | None] = {}
        self._imported: set[str] = set()
        self._held: set[str] = set()
        self._kept = 0

    def grown(self) -> int:
        """How many files have come to those that were kept from before."""
        return len(self._modules) - self._kept

    def renew(self) -> Files:
        """The files that are held or that others imported, for who goes on; the trees of all others are let go."""
        renewed = Files(self.project)
        for filename, module in self._modules.items():
            if filename in self._imported or filename in self._held:
                renewed._modules[filename] = module
            elif module is not None:
                module.let_go()
        self._modules = {}
        renewed._held = self._held
        renewed._kept = len(renewed._modules)
        return renewed

    def hold(self, module: Module) -> None:
        """Keep a file for good: a finding in it has a fix that will be made from its tree."""
        self._held.add(module.filename)

    def add(self, module: Module) -> None:
        self._modules[module.filename] = module

    def read(self, filename: str, source: bytes) -> Module:
        """The file with this text, parsed now unless it was when another imported it. Raises UnreadableFile."""
        held = self._modules.get(filename)
        if held is None or held.source != source:
            held = self._modules[filename] = Module(filename, source)
        return held

    def module(self, filename: str) -> Module | None:
        """The parsed file; None if it cannot be read (its own check says so)."""
        if filename not in self._modules:
            try:
                with open(filename, "rb") as file:
                    self._modules[filename] = Module(filename, file.read())
            except (OSError, UnreadableFile, RecursionError):
                self._modules[filename] = None
        return self._modules[filename]

    def resolve(self, module: str, importer: str, level: int) -> Module | None:
        """The project's file that an import means, or None."""
        filename = self.project.resolve(module, importer, level)
        if filename is None:
            return None
        self._imported.add(filename)
        return self.module(filename)

    def imported(
        self, importer: Module, name: str, member: str | None, level: int
    ) -> tuple[Module, str | None] | None:
        """What `from name import member`, or `import name`, means in the project: a file, or a name in a file."""
        target = self.resolve(name, importer.filename, level)
        if target is None or member is None or target.binds(member):
            return None if target is None else (target, member)
        # A submodule before the star imports: looking through those reads every file that they name.
        submodule = self.resolve(f"{name}.{member}" if name else member, importer.filename, level)
        return (target, member) if submodule is None else (submodule, None)
