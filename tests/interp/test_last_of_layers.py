"""Which of a list's layers comes first and last, however the list is made and gone through: judged in torch."""

from __future__ import annotations

import textwrap

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

NET = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, n, last=False):
        super().__init__()
        self.lin = nn.Linear(n, n)
        self.last = last

    def forward(self, x):
        x = self.lin(x)
        if not self.last:
            x = torch.sigmoid(x)
        return x


class Net(nn.Module):
    def __init__(self, n, depth):
        super().__init__()
        self.depth = depth
        self.act = nn.Sigmoid()
{build}

    def forward(self, x):
{loop}
        x += 1
        return x
"""
#: What the layers are, and whether the last of them saves its result.
BUILT = {
    "all alike": ("[nn.Sequential(nn.Linear(n, n), nn.Sigmoid()) for _ in range(depth)]", True),
    "objects, all alike": ("[Block(n) for _ in range(depth)]", True),
    "one appended": (
        "[nn.Sequential(nn.Linear(n, n), nn.Sigmoid()) for _ in range(depth - 1)] + [nn.Linear(n, n)]",
        False,
    ),
    "a gate appended": ("[nn.Linear(n, n) for _ in range(depth - 1)] + [nn.Sigmoid()]", True),
    "the last without": (
        "[nn.Sequential(nn.Linear(n, n), nn.Sigmoid()) if i < depth - 1 else nn.Linear(n, n) "
        "for i in range(depth)]",
        False,
    ),
    "chains whose end differs": (
        "[nn.Sequential(nn.Linear(n, n), nn.Sigmoid() if i < depth - 1 else nn.Identity()) "
        "for i in range(depth)]",
        False,
    ),
    "objects that are told": ("[Block(n, last=i == depth - 1) for i in range(depth)]", False),
    "objects that are told otherwise": ("[Block(n, last=i != depth - 1) for i in range(depth)]", True),
}
LOOPS = {
    "list": "for layer in self.layers:\n    x = layer(x)",
    "numbers": "for i in range(len(self.layers)):\n    x = self.layers[i](x)",
    "numbers up to an option": "for i in range(self.depth):\n    x = self.layers[i](x)",
    "numbered": "for i, layer in enumerate(self.layers):\n    x = layer(x)",
    "while": "i = 0\nwhile i < len(self.layers):\n    x = self.layers[i](x)\n    i += 1",
    "last apart": "for layer in self.layers[:-1]:\n    x = layer(x)\nx = self.layers[-1](x)",
    "results kept": "kept = []\nfor layer in self.layers:\n    x = layer(x)\n    kept.append(x)\nx = kept[-1]",
    "results chained": "kept = [x]\nfor i in range(len(self.layers)):\n    kept.append(self.layers[i](kept[-1]))\n"
    "x = kept[-1]",
}
#: Loops over linear layers that apply an activation in all rounds but the last.
ACTIVATED = {
    "numbers": "for i in range(len(self.layers)):\n    x = self.layers[i](x)\n    if i < len(self.layers) - 1:\n"
    "        x = self.act(x)",
    "from one": "for i, layer in enumerate(self.layers, 1):\n    x = layer(x)\n    if i < len(self.layers):\n"
    "        x = self.act(x)",
    "next number": "for i, layer in enumerate(self.layers):\n    x = layer(x)\n"
    "    if i + 1 == len(self.layers):\n        continue\n    x = self.act(x)",
    "while": "i = 0\nwhile i < len(self.layers):\n    x = self.layers[i](x)\n    if i < len(self.layers) - 1:\n"
    "        x = self.act(x)\n    i += 1",
    "left": "for i, layer in enumerate(self.layers):\n    x = layer(x)\n    if i == len(self.layers) - 1:\n"
    "        break\n    x = self.act(x)",
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("built", BUILT)
def test_the_last_layer_decides_what_may_be_written(built: str, loop: str) -> None:
    layers, saves = BUILT[built]
    known = (
        built != "a gate appended" or loop != "numbers up to an option"
    )  # an option need not be the length
    found, raises = _asked(f"self.layers = nn.ModuleList({layers})", LOOPS[loop])
    assert raises == saves
    assert found == (["IPL101"] if saves and known else [])


@pytest.mark.parametrize("loop", ACTIVATED)
def test_the_last_round_of_a_loop_may_leave_out_an_activation(loop: str) -> None:
    found, raises = _asked(
        "self.layers = nn.ModuleList([nn.Linear(n, n) for _ in range(depth)])", ACTIVATED[loop]
    )
    assert not raises
    assert found == []


#: Lists in which a layer that writes its input follows only layers that do not save their result.
IN_TURN = {
    "appended in turn": "layers = []\nfor _ in range(depth):\n    layers.append(nn.Linear(n, n))\n"
    "    layers.append(nn.ReLU(inplace=True))\nlayers.append(nn.Linear(n, n))",
    "many": "layers = [nn.Linear(n, n)]\n"
    + "".join("layers += [nn.ReLU(inplace=True), nn.Linear(n, n)]\n" for _ in range(8)),
    "first apart": "layers = [nn.Linear(n, n)]\nfor _ in range(depth):\n    layers.append(nn.BatchNorm1d(n))\n"
    "    layers.append(nn.ReLU(True))\n    layers.append(nn.Linear(n, n))",
    "chains": "layers = [nn.Sequential(nn.Linear(n, n), nn.Sigmoid())]\nfor i in range(depth):\n"
    "    layers.append(nn.Linear(n, n) if i % 2 == 0 else nn.ReLU(True))\nlayers.append(nn.Linear(n, n))",
}
THROUGH = {
    "list": "for layer in self.layers:\n    x = layer(x)",
    "numbers": "for i in range(len(self.layers)):\n    x = self.layers[i](x)",
    "numbered": "for i, layer in enumerate(self.layers):\n    x = layer(x)",
    "all but the first": "x = self.layers[0](x)\nfor layer in self.layers[1:]:\n    x = layer(x)",
}


@pytest.mark.parametrize("loop", THROUGH)
@pytest.mark.parametrize("built", IN_TURN)
@pytest.mark.parametrize("kind", ["ModuleList", "Sequential"])
def test_which_layer_follows_which_is_not_guessed_at(kind: str, built: str, loop: str) -> None:
    whole = "nn.ModuleList(layers)" if kind == "ModuleList" else "nn.Sequential(*layers)"
    found, raises = _asked(f"{IN_TURN[built]}\nself.layers = {whole}", f"x = self.act(x)\n{THROUGH[loop]}")
    assert not raises
    assert found == []


def _asked(build: str, loop: str) -> tuple[list[str], bool]:
    """What is found in a network, and whether its backward raises."""
    text = NET.format(build=textwrap.indent(build, " " * 8), loop=textwrap.indent(loop, " " * 8))
    names: dict[str, type[torch.nn.Module]] = {}
    exec(compile(text, "net.py", "exec"), names)
    found = check_source("net.py", text.encode(), Settings(), Project())
    result = names["Net"](3, 3)(torch.ones(2, 3)).sum()
    try:
        result.backward()
    except RuntimeError:
        return [one.code for one in found], True
    return [one.code for one in found], False
