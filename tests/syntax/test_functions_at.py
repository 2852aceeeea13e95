"""Which functions a row belongs to, found without going through all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.syntax.module import Module

SOURCES = sorted((Path(__file__).parents[2] / "inplace_lint" / "syntax").glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_rows_belong_to_the_functions_whose_text_they_are_in(path: Path) -> None:
    module = Module(path.name, path.read_bytes())
    functions = module.functions_in_order()
    for row in range(1, len(module.lines) + 2):
        around = [f for f in functions if f.node.lineno <= row <= (f.node.end_lineno or 0)]
        assert module.functions_at(row) == around[::-1]
