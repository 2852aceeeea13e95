"""A property that does more than compute is not read at another time, nor twice: its reader gets no fix."""

from __future__ import annotations

import pytest

from . import compare

PROGRAM = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)
        self.calls, self.start = 0, 2.0

    @property
    def temperature(self):
        {body}

    def forward(self, x, bias):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = (q @ k.transpose(-2, -1) + bias) / self.temperature
        return torch.softmax(scores, dim=-1) @ v
"""


@pytest.mark.parametrize(
    "body",
    ["self.calls += 1; return self.start * 0.8 ** self.calls", "print(self.start); return self.start"],
)
def test_a_property_with_an_effect_is_not_read_by_a_fix(body: str) -> None:
    (plan,) = compare.plans(PROGRAM.format(body=body))
    assert plan.refused is not None


def test_a_property_that_computes_is_read_by_a_fix() -> None:
    (plan,) = compare.plans(PROGRAM.format(body="return max(0.5, self.start * 2)"))
    assert plan.refused is None
