"""What the rounds of an inner loop make are several things in each round of the outer loop, as torch says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

BUILT = """\
import torch
from torch import nn


class Flow(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(n))

    def forward(self, x):
        with torch.no_grad():
            self.scale.copy_(1 / (x.std() + 1e-6))
        return self.scale * x


class Block(nn.Module):
    def __init__(self, n, count):
        super().__init__()
        self.flows = nn.ModuleList()
        for i in range(count):
            self.flows.append(Flow(n))

    def forward(self, x):
        for flow in self.flows:
            x = flow(x)
        return x


def several(n, count):
    found = []
    for i in range(count):
        found.append(Flow(n))
    return nn.Sequential(*found)


def one_for_all(n, count):
    flow = Flow(n)
    return nn.Sequential(*[flow for i in range(count)])


class Whole(nn.Module):
    def __init__(self, n, counts):
        super().__init__()
        self.blocks = nn.ModuleList()
        for count in counts:
            self.blocks.append({made})

    def forward(self, x):
        for block in self.blocks:
            {run}
        return x


Whole(3, [2, 3])(torch.ones(2, 3)).sum().backward()
"""
MADE = ("Block(n, count)", "several(n, count)", "one_for_all(n, count)")


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("run", ["x = block(x)", "for flow in block: x = flow(x)"])
def test_layers_built_in_nested_loops_are_several(tmp_path: Path, made: str, run: str) -> None:
    if made == MADE[0] and run != "x = block(x)":
        run = "for flow in block.flows: x = flow(x)"
    program = tmp_path / "a.py"
    program.write_text(BUILT.format(made=made, run=run))
    assert bool(told(program.read_text())) == refuses(program, tmp_path)


COMPUTED = """\
import torch
from torch import nn

layer = nn.Linear(3, 3)
total = torch.zeros(())
for x in torch.ones(3, 2, 3):
    found = []
    for i in range(2):
        found.append(layer(x).sigmoid())
    {use}
total.backward()
"""
USES = (
    "found[0].mul_(2); total = total + found[1].sum()",
    "found[0].mul_(2); total = total + found[0].sum()",
    "first, *rest = found; first.mul_(2); total = total + sum(one.sum() for one in rest)",
    "found.pop().mul_(2); total = total + sum(one.sum() for one in found)",
)


@pytest.mark.parametrize("use", USES)
def test_tensors_computed_in_nested_loops_are_several(tmp_path: Path, use: str) -> None:
    program = tmp_path / "a.py"
    program.write_text(COMPUTED.format(use=use))
    assert bool(told(program.read_text())) == refuses(program, tmp_path)
