"""Layers that exist already are made to work in place by the constructor, or by what it calls; torch is asked."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

#: How the constructor, or what it calls, makes the dropout work in place, which overwrites what the ReLU saved.
WAYS = {
    "modules": "for m in self.modules():\n    if isinstance(m, nn.Dropout):\n        m.inplace = FLAG",
    "either of two": (
        "for m in self.modules():\n    if isinstance(m, nn.ReLU) or isinstance(m, nn.Dropout):\n"
        "        m.inplace = FLAG"
    ),
    "type": "for m in self.modules():\n    if type(m) is nn.Dropout:\n        m.inplace = FLAG",
    "children": "for m in self.children():\n    if isinstance(m, nn.Dropout):\n        m.inplace = FLAG",
    "named": "for n, m in self.named_modules():\n    if isinstance(m, nn.Dropout):\n        m.inplace = FLAG",
    "setattr": "for m in self.modules():\n    if isinstance(m, nn.Dropout):\n        setattr(m, 'inplace', FLAG)",
    "a method": "self.set_up()",
    "a function": "set_up(self)",
    "apply": "self.apply(of_one)",
}
NETWORK = """
import torch
from torch import nn


def of_one(m):
    if isinstance(m, nn.Dropout):
        m.inplace = FLAG


def set_up(net):
    for m in net.modules():
        of_one(m)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.act, self.drop = nn.ReLU(), nn.Dropout(0.5)
        self.blocks = nn.ModuleList([BLOCKS])
WAY

    def set_up(self):
        for m in self.modules():
            if isinstance(m, nn.Dropout):
                m.inplace = FLAG

    def forward(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.drop(self.act(x))
"""


def text(way: str, blocks: int, flag: bool) -> str:
    """The network with so many blocks, each written out: those that a loop makes are followed as one."""
    made = "nn.Sequential(nn.Linear(4, 4), nn.Softplus()), " * blocks
    network = NETWORK.replace("WAY", indent(WAYS[way], "        ")).replace("BLOCKS", made)
    return network.replace("FLAG", str(flag))


def errors(source: str, folder: Path) -> list[str]:
    found = check_source(str(folder / "net.py"), source.encode(), Settings(), Project(root=str(folder)))
    return [one.code for one in found if one.severity == "error"]


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("way", WAYS)
def test_torch_agrees(way: str, flag: bool) -> None:
    torch = pytest.importorskip("torch")
    space: dict[str, object] = {}
    exec(compile(text(way, 1, flag), "net", "exec"), space)
    raised = False
    try:
        space["Net"]()(torch.randn(2, 4)).sum().backward()  # type: ignore[operator]
    except RuntimeError as error:
        raised = "modified by an inplace operation" in str(error)
    assert raised is flag


@pytest.mark.parametrize("flag", [True, False])
@pytest.mark.parametrize("blocks", [1, 12])
@pytest.mark.parametrize("way", WAYS)
def test_found_in_the_network_alone_however_large_it_is(
    way: str, blocks: int, flag: bool, tmp_path: Path
) -> None:
    if blocks > 1 and way == "children":
        pytest.skip("it has few children")
    assert errors(text(way, blocks, flag), tmp_path) == (["IPL101"] if flag else [])


CHAIN = """
from torch import nn


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        out = self.fn(x, **kwargs)
        x WRITES out
        return x


class Block(nn.Sequential):
    def __init__(self, size=4, **kwargs):
        super().__init__(
            nn.Linear(size, size), Residual(nn.Sequential(nn.LayerNorm(size), nn.Linear(size, size)))
        )
"""
USES = {
    "nobody": "",
    "a function": "def train(x):\n    net = Block()\n    net(x).sum().backward()\n",
    "a chain": "class Outer(nn.Sequential):\n    def __init__(self):\n        super().__init__(Block(), Block())\n",
    "a list": (
        "class Encoder(nn.Module):\n    def __init__(self, depth=2, block=Block, **kwargs):\n"
        "        super().__init__()\n"
        "        self.layers = nn.ModuleList([block(4, **kwargs) for _ in range(depth)])\n\n"
        "    def forward(self, x):\n        for layer in self.layers:\n            x = layer(x)\n        return x\n\n\n"
        "class Net(nn.Sequential):\n    def __init__(self, **kwargs):\n        super().__init__(Encoder(**kwargs))\n"
    ),
}


@pytest.mark.parametrize("use", USES)
def test_a_chain_of_layers_is_called_though_it_has_no_forward(use: str, tmp_path: Path) -> None:
    program = f"{CHAIN}\n\n{USES[use]}"
    assert errors(program.replace("WRITES", "+="), tmp_path) == ["IPL102"]
    assert errors(program.replace("x WRITES out", "x = x + out"), tmp_path) == []


@pytest.mark.parametrize("given", ["0.1, True", "0.1, inplace=True", "0.1", "0.1, False"])
def test_a_flag_that_is_given_by_place_in_a_chain(given: str, tmp_path: Path) -> None:
    program = (
        "from torch import nn\n\n\nclass Block(nn.Sequential):\n    def __init__(self):\n"
        f"        super().__init__(nn.Linear(3, 3), nn.ReLU(), nn.Dropout({given}))\n\n\n"
        "def train(x):\n    net = Block()\n    net(x).sum().backward()\n"
    )
    assert errors(program, tmp_path) == (["IPL101"] if "True" in given else [])
