"""Resolves an import to a file of the project. Installed packages are never looked into."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .contents import Contents
from .paths import shown

if TYPE_CHECKING:
    from .declarations import Declaration
    from .settings import Settings

    #: an import: the module, the folder of the importing file, the level (number of leading dots), and the folders that
    #: the file adds to the search path
    Question = tuple[str, str, int, tuple[str, ...]]


_INSTALLED = ("site-packages", "dist-packages")
#: Files that mark a folder whose packages are meant to be installed.
_DISTRIBUTED = ("pyproject.toml", "setup.py", "setup.cfg")
#: Modules that an import never finds beside a script, even if a file there has that name.
_ELSEWHERE = sys.stdlib_module_names | {"torch"}


class Project:
    """The modules of one project, found on the file system alone, so that an import resolves the same way in every run.

    A module is first-party if it lies under one of the `src` directories; else, if it belongs to the importer's topmost
    package (the unbroken chain of `__init__.py` upwards); else, if it lies beside that package or script, or beside one
    of the folders around it up to the root of the project, since programs are run from any of these; else, for a script
    in a package's folder that nothing marks as to be installed, beside the script; else in a folder that the importer
    adds to the search path, below its own folder or one around it. What is installed is never read.
    """

    __slots__ = (
        "_folders",
        "_resolved",
        "_tops",
        "added",
        "asked",
        "contents",
        "models",
        "root",
        "src",
        "writers",
    )

    def __init__(
        self,
        root: str = ".",
        src: tuple[str, ...] = (),
        contents: Contents | None = None,
        models: tuple[tuple[str, Declaration], ...] = (),
    ) -> None:
        self.root = os.path.abspath(root)
        #: declarations from the configuration, by function
        self.models = models
        #: the last names of the declared functions that write
        self.writers = frozenset(
            [
                key.removesuffix(".forward").rpartition(":")[2].rpartition(".")[2]
                for key, m in models
                if m.written()
            ]
        )
        self.src = tuple(os.path.abspath(os.path.join(self.root, path)) for path in src)
        self.contents = contents or Contents()
        self._folders: dict[str, str] = {}
        #: by importing file, the imports that were resolved for it
        self.asked: dict[str, dict[Question, None]] = {}
        #: by file: the folders that it adds to the search path (`syntax.search_paths`)
        self.added: dict[str, tuple[str, ...]] = {}
        self._tops: dict[str, str] = {}
        self._resolved: dict[Question, str | None] = {}

    @classmethod
    def of(cls, settings: Settings, contents: Contents | None = None) -> Project:
        """The project with these settings."""
        return cls(settings.root, settings.src, contents, settings.models)

    def resolve(self, module: str, importer: str, level: int = 0) -> str | None:
        """The file that `import module`, or `from <level dots>module import …`, means in the file `importer`.

        None if it is no file of the project. A package is its `__init__.py`; an empty module with a level is the
        package itself. The path is spelled as everywhere in output (see `paths.shown`).
        """
        around = self._folders.get(importer)
        if around is None:
            around = self._folders[importer] = os.path.dirname(importer)
        key = (module, around, level, self.added.get(importer, ()))
        if key not in self._resolved:
            self._resolved[key] = self._resolve(key)
        asked = self.asked.get(importer)
        if asked is None:
            asked = self.asked[importer] = {}
        asked[key] = None
        return self._resolved[key]

    def _resolve(self, question: Question) -> str | None:
        module, around, level, added = question
        directory = os.path.abspath(around)
        found = self._usual(module, directory, level)
        if found is None and module and not level:
            for folder in added:
                found = found or self._around(directory, module.split("."), folder)
        return found

    def _usual(self, module: str, directory: str, level: int) -> str | None:
        parts = module.split(".") if module else []
        if level:
            for _ in range(level - 1):
                directory = os.path.dirname(directory)
            if os.path.basename(directory) in _INSTALLED:
                return None
            return self._module_file(directory, parts)
        if not parts:
            return None
        for root in self.src:
            found = self._module_file(root, parts)
            if found:
                return found
        top = self._top(directory)
        if top == directory:
            beside = None if os.path.basename(top) in _INSTALLED else self._module_file(top, parts)
            return beside or self._around(top, parts)
        first = os.path.relpath(directory, top).split(os.sep, 1)[0]
        if parts[0] == first:
            return self._module_file(top, parts)
        found = self._around(top, parts)
        if found is None and parts[0] not in _ELSEWHERE and not self._is_distributed(top):
            # Scripts run in folders that happen to hold an `__init__.py`, and import modules beside them.
            found = self._module_file(os.path.join(top, first), parts)
        return found

    def _around(self, directory: str, parts: list[str], below: str = "") -> str | None:
        """The file of a module in a folder, or else in the closest folder around it within the project.

        `below`: not in these folders themselves, but in one below them.
        """
        if parts[0] in _ELSEWHERE:
            return None
        while os.path.basename(directory) not in _INSTALLED:
            found = self._module_file(os.path.normpath(os.path.join(directory, below)), parts)
            if found is not None:
                return found
            if directory == self.root:
                return self._module_file(os.path.join(directory, "src"), parts)
            outer = os.path.dirname(directory)
            if outer == directory or not f"{outer}{os.sep}".startswith(self.root.rstrip(os.sep) + os.sep):
                break
            directory = outer
        return None

    def _is_distributed(self, top: str) -> bool:
        """Whether this folder's packages are installed, or meant to be: then nobody runs their files as scripts."""
        return os.path.basename(top) in _INSTALLED or any(
            self._is_file(os.path.join(top, name)) for name in _DISTRIBUTED
        )

    def find(self, module: str) -> str | None:
        """The file of this dotted module name below one of the `src` directories."""
        found = (self._module_file(root, module.split(".")) for root in self.src)
        return next(filter(None, found), None)

    def module_name(self, filename: str) -> str:
        """The dotted name under which the project imports this file."""
        path = os.path.abspath(filename)
        directory = os.path.dirname(path)
        root = next((src for src in self.src if path.startswith(src + os.sep)), None) or self._top(directory)
        parts = os.path.relpath(path, root).split(os.sep)
        parts[-1] = os.path.splitext(parts[-1])[0]
        if parts[-1] == "__init__" and len(parts) > 1:
            parts.pop()
        return ".".join(parts)

    def _module_file(self, root: str, parts: list[str]) -> str | None:
        path = os.path.join(root, *parts)
        package = os.path.join(path, "__init__.py")
        if self._is_file(package):
            return shown(package)
        if parts and self._is_file(path + ".py"):
            return shown(path + ".py")
        return None

    def _top(self, directory: str) -> str:
        """The directory that contains the topmost package around `directory`; itself if it is no package."""
        top = self._tops.get(directory)
        if top is None:
            parent = os.path.dirname(directory)
            in_package = parent != directory and self._is_file(os.path.join(directory, "__init__.py"))
            top = self._tops[directory] = self._top(parent) if in_package else directory
        return top

    def _is_file(self, path: str) -> bool:
        return self.contents.is_file(path)

    def answer(self, question: Question) -> tuple[str | None, list[str]]:
        """Resolves an import again: its file, and all paths that the result depends on."""
        looked = _Looked(self.contents)
        found = Project(self.root, self.src, looked)._resolve(question)
        return found, looked.paths

    def around(self, filename: str) -> list[str]:
        """The paths that decide to which package a file belongs."""
        looked = _Looked(self.contents)
        Project(self.root, self.src, looked)._top(os.path.dirname(os.path.abspath(filename)))
        return looked.paths

    def forget(self) -> None:
        """Forgets all resolved imports, so that files are looked for anew."""
        self.asked.clear()
        self._tops.clear()
        self._resolved.clear()


class _Looked(Contents):
    """Wraps another Contents, and records the paths that it is asked for."""

    def __init__(self, others: Contents) -> None:
        super().__init__()
        self._others = others
        self.paths: list[str] = []

    def is_file(self, path: str) -> bool:
        self.paths.append(path)
        return self._others.is_file(path)
