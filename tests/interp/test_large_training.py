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


class Fixed(Net):
    def forward(self, x):
        with torch.no_grad():
{quiet}
        return x


class Translation:
    def __init__(self, n):
        self.encoder, self.decoder, self.judge = {encoder}(n), Net(n), Net(n)
        self.of_encoder = torch.optim.Adam(self.encoder.parameters())
        self.of_decoder = torch.optim.Adam(self.decoder.parameters())
        self.of_judge = torch.optim.Adam(self.judge.parameters())

    def forward(self, x):
        self.code = self.encoder(x)
        self.fake = self.decoder(self.code)

    def update_judge(self, x):
        self.of_judge.zero_grad()
        loss = -self.judge(x).mean()
        self.forward(x)
        loss = loss + self.judge(self.fake.detach()).mean()
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


@pytest.mark.parametrize("encoder", ["Net", "Fixed"])
@pytest.mark.parametrize("wrong", [True, False])
def test_steps_before_a_backward_through_large_networks(wrong: bool, encoder: str) -> None:
    layers = "\n".join(f"        self.layer{i} = Block(n)" for i in range(_LAYERS))
    calls = "\n".join(f"        x = self.layer{i}(x)" for i in range(_LAYERS))
    quiet = calls.replace("        x", "            x")
    rest, retain = (WRONG, "retain_graph=True") if wrong else (RIGHT, "")
    text = TEXT.format(layers=layers, calls=calls, retain=retain, rest=rest, encoder=encoder, quiet=quiet)
    raised = False
    try:
        exec(compile(text + USE, "translation.py", "exec"), {"__name__": "translation"})
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
        assert raised, error
    assert raised is wrong
    found = list(check_source("translation.py", text.encode(), Settings(), Project()))
    stepped = {"of_encoder.step()", "of_decoder.step()"} if encoder == "Net" else {"of_decoder.step()"}
    lines = text.splitlines()
    told = {lines[one.location.row - 1].strip() for one in found if one.code == "IPL106"}
    assert told == ({f"self.{step}" for step in stepped} if wrong else set())
    assert {one.code for one in found} <= {"IPL106", "IPL003"}


SUITE = """import torch


def spoil(y):
    y += 1


def test_one(x):
{steps}
    y = x.exp()
    spoil(y)
    y.sum().backward()


def test_two(x):
{steps}
    y = x.exp()
    spoil(y)
    y.mean().backward()
"""


@pytest.mark.parametrize("limit", [1_000, 10**9])
def test_a_file_that_trains_often_is_bounded(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once its runs have taken so many steps, the others go as far as those of functions that do not train; told."""
    monkeypatch.setattr("inplace_lint.schedule.analyze.FILE_LIMIT", limit)
    source = SUITE.format(steps="    x = x * 2\n" * 1_000).encode()
    found = [
        (one.code, one.message.split()[0]) for one in check_source("a.py", source, Settings(), Project())
    ]
    both = [("IPL101", "`y`"), ("IPL101", "`y`")]
    assert found == (both if limit > 1_000 else [("IPL101", "`y`"), ("IPL003", "`test_two`")])


AGAIN = """import torch


def product(x):
    y = x + 1
    y = y - 1
    y = x * x
    y = y + 1
    return y


def first(x):
    y = x.exp()
    return y.mul_(2)


def second():
    x = torch.ones(3, requires_grad=True) + 1
    y = product(x)
    x += 1
    return y
"""


@pytest.mark.parametrize("limit", [0, 10**9])
def test_what_is_not_repeated_is_told(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run enters a call that saves what it writes when it is repeated."""
    monkeypatch.setattr("inplace_lint.schedule.analyze.FILE_LIMIT", limit)
    found = check_source("a.py", AGAIN.encode(), Settings(), Project())
    told = [one.code for one in found if one.location.row > 16]
    assert told == (["IPL003"] if limit == 0 else ["IPL102"])
