"""Of several callees, the one that refuses the arguments of a call is not called: judged in torch."""

from __future__ import annotations

from typing import Any

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

LAYERS = """import torch
from torch import nn


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x{second}):
        return torch.sigmoid(self.inner(x))


class Adds(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x, y=0):
        return self.inner(x) + y


def run(kind, x):
    layer = Keeps() if kind == "keeps" else Adds()
    result = layer({given})
    result += 1
    return result
"""

TORCH = """import torch
from torch import nn


def run(kind, x):
    layer = nn.Sigmoid() if kind == "keeps" else {other}
    result = layer({given})
    result += 1
    return result
"""
BOTH = ["keeps", "adds"]


@pytest.mark.parametrize(
    ("source", "second", "other", "given", "ran", "raises"),
    [
        (LAYERS, "", "", "x, 1", ["adds"], False),
        (LAYERS, "", "", "x, y=1", ["adds"], False),
        (LAYERS, ", y", "", "x", ["adds"], False),
        (LAYERS, ", y=0", "", "x, y=1", BOTH, True),
        (LAYERS, "", "", "*[x]", BOTH, True),
        (TORCH, "", "nn.MSELoss()", "x", ["keeps"], True),
        (TORCH, "", "nn.MSELoss()", "x, torch.ones(2, 3)", ["adds"], False),
        (TORCH, "", "nn.Hardtanh()", "input=x", BOTH, True),
    ],
)
def test_write_after_a_call_of_one_of_two(
    source: str, second: str, other: str, given: str, ran: list[str], raises: bool
) -> None:
    source = source.format(second=second, given=given, other=other)
    there: dict[str, Any] = {}
    exec(source, there)
    accepted, broken = [], False
    for kind in BOTH:
        x = torch.ones(2, 3, requires_grad=True)
        try:
            result = there["run"](kind, x)
        except TypeError:
            continue
        accepted.append(kind)
        broken = spoils(result) or broken
    assert (accepted, broken) == (ran, raises)
    assert told(source) == (["IPL101"] if raises else [])
