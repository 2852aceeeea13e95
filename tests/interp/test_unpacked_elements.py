"""`h, c = states[i]`, where nothing tells whether `states` is a tensor: what it unpacks is as likely two tensors.

Each program runs in torch, which has to refuse the backward exactly where the analysis tells a finding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

#: `{step}` writes the memory `c`, or the hidden state `h`, which the layer has saved.
NETWORK = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.input = nn.Linear(size, size)
        self.hidden = nn.Linear(size, size)

    def forward(self, x, state):
        h, c = state
        gate = (self.input(x) + self.hidden(h)).sigmoid()
        {step}
        return torch.tanh(c) * 2 + h, c


class Net(nn.Module):
    def __init__(self, size, layers):
        super().__init__()
        self.cells = nn.ModuleList(Cell(size) for _ in range(layers))

    def forward(self, x, states):
        for number, cell in enumerate(self.cells):
            h, c = states[number]
            h, c = cell(x, (h, c))
            x = h
            states[number] = (h, c)
        return x, states


"""
TRAINING = """\
def detached(states):
    return [tuple(one.detach().clone() for one in pair) for pair in states]


def main(size=4, layers=2):
    net = Net(size, layers)
    states = [(torch.zeros(2, size), torch.zeros(2, size)) for _ in range(layers)]
    for _ in range(3):
        states = detached(states)
        x, states = net(torch.randn(2, size), states)
        x.sum().backward()


main()
"""
STEPS = {"another one": "c.mul_(gate)", "the one that was saved": "h.mul_(gate)"}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_what_is_unpacked_of_an_element_are_tensors_of_their_own(step: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    source = NETWORK.format(step=step) + TRAINING
    program = tmp_path / "carries.py"
    program.write_text(source)
    refused = refuses(program, tmp_path)
    assert refused == step.startswith("h.")
    assert set(told(source)) == ({"IPL102"} if refused else set())


def test_a_network_alone_is_no_error_either() -> None:
    assert told(NETWORK.format(step=STEPS["another one"])) == []


PREFIX = """\
import torch


def first(n):
    x = torch.ones(3, requires_grad=True)
    {made}
    {written}.mul_(2)
    return {used}.sum()


first(2).backward()
"""
MADE = (
    "values, indices = torch.sort(x.exp())[:n]",
    "values, others = (x.exp(), x.sigmoid())[:n]",
    "part = (x.exp(), x.sigmoid())[:n]; values, others = part[0], part[1]",
)


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("written", ["values", "others"])
@pytest.mark.parametrize("used", ["values", "others"])
def test_a_part_from_the_start_keeps_its_order(tmp_path: Path, made: str, written: str, used: str) -> None:
    """Where the end of the slice is not known; `sort` saves the indices alone."""
    pytest.importorskip("torch")
    if "indices" in made:
        written = used = "values"
    source = PREFIX.format(made=made, written=written, used=used)
    program = tmp_path / "part.py"
    program.write_text(source)
    assert bool(told(source)) == refuses(program, tmp_path)
