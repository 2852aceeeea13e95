"""Finds the only method of a name that the classes of a project define: what a call on an unknown object runs.

Class hierarchy analysis, for objects that a registry, a configuration or a caller elsewhere has built.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

from ..project.package_files import defining_only, note_methods, project_folder
from ..project.paths import shown
from ..syntax.nodes import does_nothing
from ..torchmodel import table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..syntax.files import Files
    from ..syntax.module import FunctionSource, Module

#: Names that many libraries use, so that one class of the project says little.
_COMMON = frozenset(
    "addHandler add_histogram add_image add_scalar add_text backward build call close config create critical "
    "debug dump error exception fit get_config get_last_lr info init load log main make open parse plot "
    "predict print process read reset run save send setLevel set_description set_postfix setup show start stop "
    "submit transform wait warning write".split()
)


@cache
def _of_python() -> frozenset[str]:
    """The names of the attributes of usual objects of Python: numbers, texts, containers, parsers and paths."""
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    kinds = (dict, list, set, str, bytes, int, float, ArgumentParser, Namespace, Path)
    return frozenset(name for kind in kinds for name in dir(kind))


class SoleMethods:
    """The methods that are the only ones of their names, looked up on demand."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._known: dict[tuple[str, str], FunctionSource | None] = {}

    def of(self, asking: Module, name: str) -> FunctionSource | None:
        """The only method of this name in the project of a file, if that is no name that other objects have too."""
        return next(iter(self.among(asking, [name])), None)

    def among(self, asking: Module, names: Iterable[str]) -> list[FunctionSource]:
        """The methods, in any file, that are the only ones of these names."""
        contents, root = self._files.project.contents, self._files.project.root
        folder = project_folder(asking.filename, root)
        telling = [name for name in names if tells(name)]
        if folder is None or not telling:
            return []
        path_asking = os.path.abspath(asking.filename)
        note_methods(telling, folder, contents, path_asking)
        found = []
        for name in telling:
            key = (folder, name)
            if key not in self._known:
                path = defining_only(name, folder, contents)
                self._known[key] = None if path is None else self._in_file(path, name)
            method = self._known[key]
            if method is not None:
                found.append(method)
                if method.module is not asking:
                    contents.rests_on.setdefault(path_asking, set()).add(
                        os.path.abspath(method.module.filename)
                    )
        return found

    def _in_file(self, path: str, name: str) -> FunctionSource | None:
        module = self._files.module(shown(path))
        for cls in module.classes.values() if module is not None else ():
            if name in cls.methods:
                return None if does_nothing(cls.methods[name].node) else cls.methods[name]
        return None


def tells(name: str) -> bool:
    """Whether only objects of the project may have a method of this name, as far as torch and Python are concerned."""
    return not (
        name.startswith("__")
        or name in _COMMON
        or name in _of_python()
        or name == "forward"
        or table.exists_method(name)
        or table.has_module(name)
        or table.has_optimizer(name)
    )
