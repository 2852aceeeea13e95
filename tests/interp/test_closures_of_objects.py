"""A function that an object or a registry holds reads the names of the function that made it: judged in torch."""

from __future__ import annotations

from typing import Any

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn
import torch.nn.functional as F


class Store:
    def __init__(self):
        self.parts = {{}}

    def add(self, name, cls):
        self.parts[name] = lambda: cls

    def adder(self, name):
        def add(function):
            self.parts[name] = lambda: function()
            return function

        return add


STORE = Store()
STORE.add("saves", nn.Sigmoid)
STORE.add("passes", nn.Flatten)


@STORE.adder("made")
def make():
    return nn.Tanh


class Net(nn.Module):
    def __init__(self, flag=True):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        kinds = {{"saves": nn.Sigmoid}}

        def scaled(x):
            return (torch.tanh if flag else F.relu)(x)

        {act}

    def forward(self, x):
        y = self.act(self.inner(x))
        y += 1
        return y
"""


@pytest.mark.parametrize(
    ("act", "raises"),
    [
        ('self.act = STORE.parts["saves"]()()', True),
        ('self.act = STORE.parts["passes"]()()', False),
        ('self.act = STORE.parts["made"]()()', True),
        ('self.act = lambda x: kinds["saves"]()(x)', True),
        ("self.act = lambda x: scaled(x)", True),
        ("self.act = lambda x: F.relu(x) * 2 if flag else x * 2", False),
    ],
)
def test_what_the_closure_gives(act: str, raises: bool) -> None:
    source = PROGRAM.format(act=act)
    there: dict[str, Any] = {}
    exec(source, there)
    assert spoils(there["Net"]()(torch.ones(2, 3))) == raises
    assert told(source) == (["IPL101"] if raises else [])
