"""What a list is extended by stays in sight: the results of one of several functions, or of a function elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

PROGRAM = """import torch
from elsewhere import parts


def one(x, y):
    return [2 * x]


def two(x, y):
    return [x * y, y]


TABLE = {{0: one, 1: two}}


def harmonics(orders, vec):
    length = torch.exp(vec)
    {write}
    x, y = length[..., 0], length[..., 1]
    out = []
    {extend}
    return torch.stack(out, dim=-1).sum()
"""
EXTENDS = {
    "one of a table": "out += TABLE[orders](x, y)",
    "one of a table in each round": "for order in orders:\n        out += TABLE[order](x, y)",
    "extend": "out.extend(TABLE[orders](x, y))",
    "either": "out += two(x, y) if orders else one(x, y)",
    "elsewhere": "out += parts(x, y)",
    "elsewhere, extend": "out.extend(parts(x, y))",
    "elsewhere, star": "out = [*out, *parts(x, y)]",
}


@pytest.mark.parametrize("extend", EXTENDS)
def test_what_was_computed_from_a_spoiled_result_reaches_the_number(tmp_path: Path, extend: str) -> None:
    """`exp` saves its result, which is written; the number that is returned is computed from it."""

    def told(write: str) -> bool:
        text = PROGRAM.format(write=write, extend=EXTENDS[extend])
        path = str(tmp_path / "a.py")
        found = check_source(path, text.encode(), Settings(), Project(root=str(tmp_path)))
        return any(one.code == "IPL101" and one.severity == "error" for one in found)

    assert told("length += 1")
    assert not told("length = length + 1")
