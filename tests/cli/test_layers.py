"""Each layer imports only from the layers above it, and none but `runtime` imports torch."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "inplace_lint"
LAYERS = [
    "model",
    "project",
    "syntax",
    "resolve",
    "torchmodel",
    "prefilter",
    "interp",
    "hazards",
    "schedule",
    "explain",
    "fixes",
    "attention",
    "checks",
    "engine",
    "report",
    "runtime",
    "cli",
    "server",
]
#: What is read like a file of a project, and never imported.
READ = PACKAGE / "torchmodel" / "wrappers.py"
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != READ)


def imported(path: Path, types: bool = True) -> Iterator[str]:
    """The absolute names of all modules that a file imports anywhere, in functions too, and if asked for its types."""
    package = ["inplace_lint", *path.relative_to(PACKAGE).parts[:-1]]
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING" and not types:
            pending += node.orelse
            continue
        pending += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_upwards(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0]
    if own not in LAYERS:  # __init__.py and __main__.py stand outside of the layers
        return
    below = LAYERS[LAYERS.index(own) + 1 :]
    for name in imported(path):
        parts = name.split(".")
        assert parts[0] != "torch" or own == "runtime", name
        assert parts[-1] != READ.stem, name
        if parts[0] == "inplace_lint" and len(parts) > 1:
            assert parts[1] not in below, f"{own} imports {name}"


def test_modules_import_in_one_direction() -> None:
    names = {_name(path): path for path in FILES}
    below = {}
    for name, path in names.items():
        found = {part for part in imported(path, types=False) if part in names and part != name}
        # `from . import module` names the package as well, and takes nothing from it.
        below[name] = {part for part in found if not any(one.startswith(part + ".") for one in found)}
    # What imports only what is already taken away is in no circle; what remains is one, or rests on one.
    for graph in (below, _turned(below)):
        free = True
        while free:
            free = {name for name in below if not graph[name] & below.keys()}
            for name in free:
                del below[name]
    assert not below, "these import each other, or rest on and below such"


def _name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _turned(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    turned: dict[str, set[str]] = {name: set() for name in graph}
    for name, others in graph.items():
        for other in others:
            turned[other].add(name)
    return turned


def test_every_folder_is_a_layer() -> None:
    folders = {path.parent.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE}
    assert folders <= {*LAYERS, "_rules"}
