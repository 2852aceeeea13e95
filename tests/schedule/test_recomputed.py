"""What runs under a checkpoint alone is judged by torch: one that recomputes needs nothing that a write spoils."""

from __future__ import annotations

import pytest

import inplace_lint

torch = pytest.importorskip("torch")

PROGRAM = """
import torch
from torch.utils.checkpoint import checkpoint


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def inner(self, x):
        h = torch.sigmoid(self.linear(x))
        h += 1
        return h

    def forward(self, x):
        return {call}


def run():
    Block()(torch.ones(2, 3, requires_grad=True)).sum().backward()
"""


@pytest.mark.parametrize(
    "call",
    [
        "checkpoint(self.inner, x, use_reentrant=False)",
        "checkpoint(self.inner, x, use_reentrant=True)",
        "checkpoint(self.inner, x, use_reentrant=False) + self.inner(x)",
        "self.inner(x)",
    ],
)
def test_a_write_is_told_where_torch_refuses_it(call: str) -> None:
    program = PROGRAM.format(call=call)
    refused = False
    names: dict[str, object] = {}
    exec(program, names)
    try:
        names["run"]()  # type: ignore[operator]
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        refused = True
    found = inplace_lint.check(program, filename="a.py").diagnostics
    assert bool([one for one in found if one.code == "IPL101"]) is refused
