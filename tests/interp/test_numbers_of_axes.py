"""What is one number makes a tensor of one axis; a part of that is a number, and as an index it is not saved."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

TEXT = """import torch
from torch import nn


class Filled(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        h = torch.relu(self.layer(x))
        rows, columns = h.shape
        first, *_ = x.size()
        counts = torch.zeros({size}, dtype=torch.int64)
        out = x.new_zeros(9, 4)
        out[counts[0]] = h[0]
        counts[0] += 1
        return out
"""
NUMBERS = (
    "len(x)",
    "x.size(0)",
    "x.size(dim=-1)",
    "x.shape[0]",
    "h.shape[-1] * 2",
    "h.size(1) + 1",
    "h.numel() // 2",
    "x.ndim",
    "h.dim()",
    "rows",
    "first",
    "columns - 1",
    "-rows + 2 * len(x)",
)
SHAPES = ("x.size()", "x.shape", "h.shape", "h.shape[:2]", "(len(x), 4)", "len(x), 4", "x.shape + (1,)")


@pytest.mark.parametrize("size", [*NUMBERS, *SHAPES])
def test_of_one_number_there_is_one_axis(size: str) -> None:
    text = TEXT.format(size=size)
    scope: dict[str, type] = {}
    exec(compile(text, "filled.py", "exec"), scope)
    raised = False
    try:
        scope["Filled"]()(torch.randn(3, 4)).sum().backward()
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
        assert raised, error
    found = [one.code for one in check_source("filled.py", text.encode(), Settings(), Project())]
    assert raised is (size in SHAPES)
    assert (
        found == ["IPL102"] * raised or size == "first"
    )  # `first, *_` is not known to be one: nothing is missed by that
