"""A method that takes more steps than are followed is no forward that saves all parameters if it cuts something off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

import inplace_lint

from ..interp.in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = (
    """\
import torch
from torch import nn, optim


class Judge(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.out = nn.Linear(8, 1)

    def forward(self, x):
        h = self.conv(x)
        return self.out(h.mean((2, 3))), h


class Game:
    def __init__(self, maker, judge, noisy):
        self.maker, self.judge, self.noisy = maker, judge, noisy
        self.first = optim.Adam(self.maker.parameters())
        self.second = optim.Adam(self.judge.parameters())

    def judged(self, x, made):
        noise = torch.randn(x.shape)
        if self.noisy:
            noise = noise * 2
        right, _ = self.judge(x + noise)
        wrong, _ = self.judge(made.detach())
        return wrong.mean() - right.mean()

    def made(self, x, made):
        noise = torch.randn(x.shape)
        if self.noisy:
            noise = noise * 2
        x = x + noise
"""
    + "        _, seen = self.judge(x)\n" * 150
    + """\
        _, one = self.judge(x)
        _, other = self.judge(made)
        return nn.MSELoss()(made, x) + nn.MSELoss()({one}, {other})

    def noise(self, x):
        noise = torch.randn(x.shape)
        if self.noisy:
            noise = noise * 2
        return noise

    def train(self, batches):
        for _ in range(2):
            for x in batches:
                made = self.maker(self.noise(x))
                judged = self.judged(x, made)
                loss = self.made(x, made)
                self.second.zero_grad()
                judged.backward()
                self.second.step()
                self.first.zero_grad()
                loss.backward()
                self.first.step()


Game(nn.Conv2d(3, 3, 1), Judge(), False).train([torch.randn(3, 3, 8, 8)] * 2)
"""
)


@pytest.mark.parametrize(("one", "other"), [("one", "other"), ("one.detach()", "other.detach()")])
def test_a_step_before_a_loss_that_is_cut_off(one: str, other: str, tmp_path: Path) -> None:
    program = tmp_path / "game.py"
    program.write_text(PROGRAM.format(one=one, other=other))
    found = inplace_lint.check(program.read_text(), filename=str(program)).diagnostics
    told = [diagnostic.code for diagnostic in found if diagnostic.code < "IPL2" and diagnostic.code > "IPL1"]
    assert refuses(program, tmp_path) is (one == "one")
    assert told == (["IPL106"] if one == "one" else [])
