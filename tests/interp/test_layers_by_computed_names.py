"""Layers that are set and asked for under names that are computed; torch says which programs are refused."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from .in_torch import told

torch = pytest.importorskip("torch")

SETS = (
    "setattr(self, f'block{i}', LAYER)",
    "setattr(self, 'block%d' % i, LAYER)",
    "setattr(self, 'block{}'.format(i), LAYER)",
    "setattr(self, 'block' + str(i), LAYER)",
    "self.__setattr__(f'block{i}', LAYER)",
    "self.add_module('block%d' % i, LAYER)",
)
GETS = (
    "getattr(self, f'block{i}')",
    "getattr(self, 'block%d' % i)",
    "getattr(self, 'block{}'.format(i))",
    "getattr(self, 'block' + str(i))",
    "self.__getattr__(f'block{i}')",
    "self._modules[f'block{i}']",
)
PROGRAM = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x):
        return RESULT


class Add(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x, rest):
        x += self.lin(rest)
        return x


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        for i in range(n):
            SET_BLOCK
            SET_ADD

    def forward(self, x):
        rest = x
        for i in range(self.n):
            x = GET_BLOCK(x)
            x = GET_ADD(x, rest)
        return x


def train(n):
    Net(n)(torch.ones(2, 3)).sum().backward()
"""


@pytest.mark.parametrize("result", ["torch.relu(self.lin(x))", "self.lin(torch.relu(x))"])
@pytest.mark.parametrize(("sets", "gets"), [*product(SETS, GETS)])
def test_which_layer_is_called(sets: str, gets: str, result: str) -> None:
    """Of two kinds of layers under two kinds of names each is found again."""
    source = PROGRAM.replace("RESULT", result)
    for name, text in (("SET", sets), ("GET", gets)):
        source = source.replace(f"{name}_BLOCK", text.replace("LAYER", "Block()"))
        source = source.replace(f"{name}_ADD", text.replace("block", "add").replace("LAYER", "Add()"))
    names: dict[str, Any] = {}
    exec(compile(source, "a.py", "exec"), names)
    try:
        names["train"](2)
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        assert "IPL101" in told(source)
    else:
        assert told(source) == []


ALTERNATING = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        for i in range(n):
            setattr(self, f"layer{2 * i}", nn.Linear(3, 3))
            setattr(self, f"layer{2 * i + 1}", nn.ReLU(inplace=True))

    def forward(self, x):
        for i in range(2 * self.n):
            x = getattr(self, f"layer{i}")(x)
        return x


def train(n):
    Net(n)(torch.ones(2, 3)).sum().backward()
"""
APART = ALTERNATING.replace("layer{2 * i + 1}", "act{i}").replace("layer{2 * i}", "layer{i}")
APART = APART.replace(
    """        for i in range(2 * self.n):
            x = getattr(self, f"layer{i}")(x)
""",
    """        for i in range(self.n):
            x = getattr(self, f"layer{i}")(x)
            x = getattr(self, f"act{i}")(x)
""",
)


@pytest.mark.parametrize("source", [ALTERNATING, APART])
def test_layers_of_two_kinds(source: str) -> None:
    """Under names that start alike it is not known which comes after which; a ReLU is none after another ReLU."""
    names: dict[str, Any] = {}
    exec(compile(source, "a.py", "exec"), names)
    names["train"](2)
    assert told(source) == []
