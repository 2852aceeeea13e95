"""Each file, function and class of the package fits in a head: how large they may become."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "inplace_lint"
FILES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}

LINES_OF_A_FILE = 450
LINES_OF_A_FUNCTION = 60
#: McCabe's, as Ruff's C901 counts it: one, and one more for each place where the way through a function forks.
COMPLEXITY = 20
#: Attributes that a class sets on `self`: of more, some belong together and are an object of their own.
ATTRIBUTES = 25

_FORKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_files_are_short() -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in FILES.items()}
    assert over(LINES_OF_A_FILE, lines) == {}


def test_functions_are_short() -> None:
    assert over(LINES_OF_A_FUNCTION, figures()["lines"]) == {}


def test_functions_are_simple() -> None:
    assert over(COMPLEXITY, figures()["complexity"]) == {}


def test_classes_hold_little() -> None:
    assert over(ATTRIBUTES, figures()["attributes"]) == {}


def over(limit: int, figures: dict[str, int]) -> dict[str, int]:
    return {name: figure for name, figure in figures.items() if figure > limit}


@cache
def figures() -> dict[str, dict[str, int]]:
    """The figures of every function and class, by its file, row and name."""
    found: dict[str, dict[str, int]] = {"lines": {}, "complexity": {}, "attributes": {}}
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, _FUNCTIONS):
                place = f"{name}:{node.lineno} {node.name}"
                lines = found["lines"][place] = (node.end_lineno or 0) - node.lineno + 1
                if lines > COMPLEXITY:  # one of fewer rows than that does not fork so often
                    found["complexity"][place] = complexity(node)
            elif isinstance(node, ast.ClassDef):
                found["attributes"][f"{name}:{node.lineno} {node.name}"] = len(held(node))
    return found


def complexity(function: ast.AST) -> int:
    """One for the function, for each function in it, for each fork, and for each `else` of a `try`."""
    inner = list(ast.walk(function))
    forks = sum(isinstance(node, (*_FORKS, *_FUNCTIONS)) for node in inner)
    return forks + sum(isinstance(node, ast.Try) and bool(node.orelse) for node in inner)


def held(cls: ast.AST) -> set[str]:
    """The attributes that the methods of a class set on `self`."""
    return {
        node.attr
        for node in ast.walk(cls)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and getattr(node.value, "id", "") == "self"
    }


def test_the_figures_are_counted_as_said() -> None:
    text = """
class Reader:
    def __init__(self, text):
        self.text = text
        self.at = self.seen = 0

    def read(self, rows):
        for row in rows:
            if row:
                self.at += 1
            elif rows:
                self.left = [one for one in rows if one] or None
            else:
                break
        try:
            return sorted(rows, key=lambda row: row if row else 0)
        except (TypeError, ValueError):
            return None
        else:
            self.seen += 1
"""
    (cls,) = ast.parse(text).body
    assert isinstance(cls, ast.ClassDef)
    assert held(cls) == {"text", "at", "seen", "left"}
    assert [complexity(method) for method in cls.body] == [1, 6]
