"""A parameter that is frozen while it is written is no leaf that requires grad, however it was reached."""

from __future__ import annotations

from itertools import product

import pytest

from .in_torch import told

torch = pytest.importorskip("torch")

PROGRAM = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))


def f(model, rows):
{reached}


f(net, [0])
"""
#: How a parameter is reached, with the place for what is done with it.
REACHED = (
    "    for p in net.parameters():\n{body}",
    "    for name, p in net.named_parameters():\n{body}",
    "    for p in model.parameters():\n{body}",
    "    for p in list(net.parameters()):\n{body}",
    "    for p in [*net.parameters()][:2]:\n{body}",
    "    for p in (net[0].weight, net[1].bias):\n{body}",
    "    for layer in net:\n        p = layer.weight\n{body}",
    "    for layer in model.children():\n        for p in layer.parameters():\n    {inner}",
    "    p = next(net.parameters())\n    if True:\n{body}",
    "    p = list(net.parameters())[0]\n    if True:\n{body}",
)
#: What is done with it.
BODIES = (
    "p.requires_grad = False; p[rows] = 0",
    "p.requires_grad_(False); p[rows] = 0",
    "p.requires_grad = False; p[rows] = 0; p.requires_grad = True",
    "before = p.requires_grad; p.requires_grad = False; p[rows] = 0; p.requires_grad = before",
    "p.requires_grad_(False); p[rows] = 0; p.requires_grad_(True)",
    "p[rows] = 0",
    "p.requires_grad = True; p[rows] = 0",
)


@pytest.mark.parametrize(("reached", "body"), [*product(REACHED, BODIES)])
def test_a_write_of_a_parameter(reached: str, body: str) -> None:
    source = PROGRAM.format(reached=reached.format(body=f"        {body}", inner=f"        {body}"))
    assert ("IPL103" in told(source)) is _is_refused(source), source


def _is_refused(source: str) -> bool:
    try:
        exec(compile(source, "a.py", "exec"), {})
    except RuntimeError as error:
        assert "a leaf Variable that requires grad" in str(error)
        return True
    return False


CONSTRUCTED = """\
import copy
import torch
from torch import nn


class Base:
    def __init__(self, mode="a", freeze=True):
{before}
        self.net = self.build()
        self.average = copy.deepcopy(self.net)
{freezes}
{after}

    def whole(self):
        if isinstance(self.average, nn.DataParallel):
            return self.average.module
        return self.average

    def update(self):
        for p, q in zip(self.net.parameters(), self.{average}.parameters()):
            q.mul_(0.9).add_(p.data, alpha=0.1)


class Linear(Base):
    def build(self):
        return nn.Linear(3, 3)


class Trainer:
    def __init__(self, mode):
        self.model = Linear(mode)

    def train(self):
        self.model.net(torch.ones(2, 3)).sum().backward()
        self.model.update()


Trainer("a").train()
"""
CHECKS = (
    "        pass",
    "        if mode not in ('a', 'b'):\n            raise ValueError(mode)",
    "        assert mode in ('a', 'b')",
    "        if mode == 'a':\n            self.a = True\n        elif mode != 'b':\n            raise ValueError(mode)",
)
FREEZES = (
    "        for p in self.average.parameters():\n            p.requires_grad = False",
    "        self.average.requires_grad_(False)",
    "        if freeze:\n            self.average.requires_grad_(False)",
    "        pass",
)


@pytest.mark.parametrize(
    ("check", "freezes", "place", "average"),
    [*product(CHECKS, FREEZES, ("before", "after"), ("average", "whole()"))],
)
def test_what_a_constructor_froze(check: str, freezes: str, place: str, average: str) -> None:
    """It is frozen in each later call, whatever arguments the constructor refuses."""
    places = {"before": "        pass", "after": "        pass", place: check}
    source = CONSTRUCTED.format(freezes=freezes, average=average, **places)
    assert ("IPL103" in told(source)) is _is_refused(source), source


PART = """\
def update(net, part):
    {freezes}
    for p in net.{part}.parameters():
        p.mul_(0.9)
    return net(part).sum().backward()
"""


@pytest.mark.parametrize("part", ["module", "encoder.layers"])
@pytest.mark.parametrize(
    ("freezes", "found"),
    [("net.requires_grad_(False)", False), ("net.requires_grad_(True)", True), ("net.train()", True)],
)
def test_the_parts_of_a_network_of_unknown_class(part: str, freezes: str, found: bool) -> None:
    assert ("IPL103" in told(PART.format(part=part, freezes=freezes))) is found


DEEP = """\
import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.net, self.average = nn.Linear(3, 3), nn.Linear(3, 3)

    def target(self):
        for p in self.average.parameters():
            p.requires_grad_(False)
        return self.average

    def update(self):
        for p in self.target().parameters():
            p.mul_(0.9)

    def train(self):
        self.net(torch.ones(2, 3)).sum().backward()
        self.update()


Trainer().train()
"""


@pytest.mark.parametrize("depth", [1, 8])
def test_what_a_call_returns_that_was_not_entered_may_be_frozen(
    depth: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inplace_lint.interp.calls.DEPTH", depth)
    assert "IPL103" not in told(DEEP)
    assert ("IPL103" in told(DEEP.replace("requires_grad_(False)", "requires_grad_(True)"))) is (depth == 8)
