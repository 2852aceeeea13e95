"""Training of networks too large to be entered whole: each is then taken to save its parameters."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

#: More layers than a run has steps to enter.
_LAYERS = 200

TEXT = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.norm = nn.LayerNorm(n)
        self.act = nn.LeakyReLU(0.2)

    def forward(self, x):
        h = self.lin(x)
        h = self.norm(h)
        h = self.act(h)
        h = h + x
        h = h * 0.5
        return h


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
{layers}

    def forward(self, x):
{calls}
        return x


class Translation:
    def __init__(self, n):
        self.encoder, self.decoder, self.judge = Net(n), Net(n), Net(n)
        self.of_encoder = torch.optim.Adam(self.encoder.parameters())
        self.of_decoder = torch.optim.Adam(self.decoder.parameters())
        self.of_judge = torch.optim.Adam(self.judge.parameters())

    def forward(self, x):
        self.code = self.encoder(x)
        self.fake = self.decoder(self.code)

    def update_judge(self, x):
        self.forward(x)
        self.of_judge.zero_grad()
        loss = self.judge(self.fake.detach()).mean() - self.judge(x).mean()
        loss.backward()
        self.of_judge.step()

    def update_others(self, x):
        self.of_encoder.zero_grad()
        self.of_decoder.zero_grad()
        loss = (self.fake - x).abs().mean()
        loss.backward({retain})
        self.of_encoder.step()
        self.of_decoder.step()
{rest}
"""
USE = """
x = torch.rand(2, 3)
model = Translation(3)
model.update_judge(x)
model.update_others(x)
"""
WRONG = """        loss = self.judge(self.fake).mean()
        loss.backward()
        self.of_decoder.step()"""
RIGHT = """        self.forward(x)
        loss = self.judge(self.fake).mean()
        loss.backward()
        self.of_decoder.step()"""


@pytest.mark.parametrize("rest", [WRONG, RIGHT])
def test_steps_before_a_backward_through_large_networks(rest: str) -> None:
    wrong = rest == WRONG
    layers = "\n".join(f"        self.layer{i} = Block(n)" for i in range(_LAYERS))
    calls = "\n".join(f"        x = self.layer{i}(x)" for i in range(_LAYERS))
    text = TEXT.format(layers=layers, calls=calls, retain="retain_graph=True" * wrong, rest=rest)
    raised = False
    try:
        exec(compile(text + USE, "translation.py", "exec"), {"__name__": "translation"})
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
        assert raised, error
    assert raised is wrong
    found = check_source("translation.py", text.encode(), Settings(), Project())
    told = [one for one in found if one.code != "IPL003"]
    rows = [row for row, line in enumerate(text.splitlines(), 1) if "r.step()" in line]
    assert {one.code for one in told} == ({"IPL106"} if wrong else set())
    assert {one.location.row for one in told} <= set(rows)
    assert bool(told) is wrong
