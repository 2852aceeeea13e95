"""A generator that never ends does not end the analysis of what it is handed to.

Each program is run in torch, which raises in backward where it says `y += 1` and not where it says `y = y + 1`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

PROGRAM = """
import torch
from torch import nn


def batches(n):
    while True:
        yield torch.rand(2, n)


def work(net, x):
    y = net(x).exp()
    {write}
    y.sum().backward()


{body}


train(nn.Linear(3, 3))
"""
BODIES = {
    "handed to a generator that leaves it alone": """
def rounds(net, source):
    for _ in range(2):
        work(net, torch.rand(2, 3))
        yield 1


def train(net):
    for one in rounds(net, batches(3)):
        print(one)
""",
    "handed to a generator that takes from it": """
def rounds(net, source):
    for _ in range(2):
        work(net, next(source))
        yield 1


def train(net):
    for one in rounds(net, batches(3)):
        print(one)
""",
    "handed on by another": """
def first(source, count):
    for _ in range(count):
        yield next(source)


def train(net):
    for x in first(batches(3), 2):
        work(net, x)
""",
    "made and not used": """
def train(net):
    source = batches(3)
    work(net, torch.rand(2, 3))
""",
    "kept in an object": """
class Loader:
    def __init__(self):
        self.source = batches(3)

    def take(self):
        return next(self.source)


def train(net):
    work(net, Loader().take())
""",
    "left by break": """
def train(net):
    for i, x in enumerate(batches(3)):
        if i == 2:
            break
        work(net, x)
""",
    "zipped": """
def train(net):
    for i, x in zip(range(2), batches(3)):
        work(net, x)
""",
}


@pytest.mark.parametrize("way", BODIES)
@pytest.mark.parametrize("write", ["y += 1", "y = y + 1"])
def test_what_is_handed_an_endless_generator_is_analysed(tmp_path: Path, way: str, write: str) -> None:
    source = PROGRAM.format(write=write, body=BODIES[way])
    (tmp_path / "main.py").write_text(source)
    assert ("IPL101" in told(source)) == refuses(tmp_path / "main.py", tmp_path) == (write == "y += 1")
