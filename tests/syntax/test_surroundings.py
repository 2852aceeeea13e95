"""The way from a file's tree to a node is found wherever it stands: in long bodies, decorators, several to a row."""

from __future__ import annotations

import ast

import pytest

from inplace_lint.syntax.nodes import children
from inplace_lint.syntax.surroundings import _path

MANY = 60
METHODS = "".join(
    f"    @mark({i})\n    def m{i}(self, a={i}):\n        return a + {i}\n" for i in range(MANY)
)
ROWS = "".join(f"    x{i} = f({i}); y{i} = g({i}); z{i} = h(\n        {i})\n" for i in range(MANY))
PROGRAMS = {
    "methods": f"@first\n@second(1)\nclass A(B, metaclass=C):\n{METHODS}",
    "statements": f"@first\ndef f(a, b=c) -> d:\n{ROWS}",
    "one row": "class A(B): " + "; ".join(f"x{i} = f({i})" for i in range(MANY)),
    "top level": METHODS.replace("    @", "@").replace("    def", "def"),
    "top level in rows": ROWS.replace("    x", "x"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_path_to_every_node(name: str) -> None:
    tree = ast.parse(PROGRAMS[name])
    pending: list[tuple[ast.AST, list[ast.AST]]] = [(tree, [])]
    while pending:
        at, path = pending.pop()
        if hasattr(at, "lineno"):
            assert _path(tree, at) == path
        pending += [(child, [*path, at]) for child in children(at)]
