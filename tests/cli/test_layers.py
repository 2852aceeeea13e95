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
    "sketch",
    "analysis",
    "fixes",
    "attention",
    "checks",
    "engine",
    "report",
    "runtime",
    "cli",
    "server",
]
FILES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The absolute names of all modules that a file imports anywhere, in functions and for types too."""
    package = ["inplace_lint", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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
        if parts[0] == "inplace_lint" and len(parts) > 1:
            assert parts[1] not in below, f"{own} imports {name}"


def test_every_folder_is_a_layer() -> None:
    folders = {path.parent.relative_to(PACKAGE).parts[0] for path in FILES if path.parent != PACKAGE}
    assert folders <= {*LAYERS, "_rules"}
