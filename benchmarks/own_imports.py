"""Which absolute imports of a repository's own files are resolved.

    python benchmarks/own_imports.py FOLDER...

An import counts as one of an own file where the module lies in the folder of the importing file or in one above it, up
to FOLDER: Python finds it there if the program is run from that folder.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from inplace_lint.project.modules import Project


def imported(tree: ast.Module) -> Iterator[str]:
    """The modules that a file imports by absolute names, but those of Python and torch."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def is_own(module: str, file: Path) -> bool:
    """Whether a module is a file beside an importing file or above it; paths are relative to the repository."""
    place = Path(*module.split("."))
    return any(
        (above / place).with_suffix(".py").is_file() or (above / place / "__init__.py").is_file()
        for above in file.parents
    )


def main(folders: list[str]) -> None:
    begun, own, lost, lacking = Path.cwd(), 0, 0, 0
    for folder in folders:
        os.chdir(begun / folder)
        project, before = Project("."), lost
        for file in sorted(Path().rglob("*.py")):
            try:
                names = list(imported(ast.parse(file.read_bytes())))
            except (SyntaxError, ValueError):
                continue
            for name in names:
                if name.partition(".")[0] not in {*sys.stdlib_module_names, "torch"} and is_own(name, file):
                    own += 1
                    lost += project.resolve(name, str(file)) is None
        lacking += lost > before
    print(
        f"{own} imports of own files, {own - lost} resolved; {lacking} of {len(folders)} repositories lack some"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
