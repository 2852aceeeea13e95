"""A write between scores and product is seen by each view that shares memory with what it changes, as torch sees it."""

from __future__ import annotations

import pytest

from . import real

pytestmark = pytest.mark.usefixtures("float64")

MODULE = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(24, 72)

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, 3, 8).permute(2, 0, 3, 1, 4).detach()
        q, k, v = qkv[0], qkv[1], qkv[2]
        scores = q @ k.transpose(-2, -1) / 8**0.5
        {}
        return scores.softmax(-1) @ v + x.sum() * 0


def build():
    return Block(), (torch.randn(2, 5, 24),)
"""

#: writes to q, k or v after the scores, by another index than the one that they were made with
TO_AN_OPERAND = ("qkv[-3].mul_(3)", "qkv[-2] += 1", "qkv[:1].mul_(3)", "qkv.mul_(3)", "qkv[[0]] = 1.0")


@pytest.mark.parametrize("write", TO_AN_OPERAND)
def test_operand_that_was_changed_since_is_not_read_again(write: str) -> None:
    program = MODULE.format(write)
    (found,) = real.findings(program)
    assert found.plan is None or real.are_same(real.run(program), real.run(real.fixed(program, found))), (
        found.fix_refused
    )


def test_write_to_another_element_is_no_obstacle() -> None:
    program = MODULE.format("qkv[2].mul_(3)")
    (found,) = real.findings(program)
    assert found.plan is not None, found.fix_refused
    assert real.are_same(real.run(program), real.run(real.fixed(program, found)))


#: expressions over a tensor without axes, or with a dimension that it does not have: torch raises for most of them
IMPOSSIBLE = (
    "torch.ones(()).reshape(()).unbind(-1)[0]",
    "torch.ones(()).reshape(()).flatten(0)",
    "torch.ones(()).reshape(()).flatten(1, 0)",
    "torch.ones(()).reshape(()).unflatten(0, (1, 1))",
    "torch.ones(()).reshape(()).chunk(2, 0)[0]",
    "torch.ones(()).reshape(()).split(2)[0]",
    "torch.ones(()).reshape(()).repeat_interleave(2, 0)",
    "torch.cat([torch.ones(()).reshape(())], 0)",
    "torch.stack([torch.ones(()).reshape(())], 3)",
    "torch.ones(2, 3).reshape(2, 3).squeeze(7)",
    "torch.ones(2, 3).reshape(2, 3).unsqueeze(-9)",
    "torch.ones(2, 3).reshape(2, 3).flatten(1, 0)",
    "torch.ones(2, 3).reshape(2, 3)[0, 0, 0]",
    "torch.ones(2, 3).reshape(2, 3).transpose(4, 0)",
    "torch.ones(2, 3).reshape(2, 3).permute(0, 5)",
)


@pytest.mark.parametrize("expression", IMPOSSIBLE)
def test_shape_that_torch_refuses_is_unknown_and_no_failure(expression: str) -> None:
    program = MODULE.format(f"q = q * ({expression})")
    real.findings(program)  # asserts that no IPL002 is among the findings
    real.findings(program.replace("scores = q @", f"q = {expression}; scores = q @"))
