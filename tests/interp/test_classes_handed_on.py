"""A class that a file passes to a constructor is known where that hands it on, or chooses among two: asked of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """import torch
from torch import nn


class Block(nn.Module):
    expansion = 1

    def __init__(self, size):
        super().__init__()
        self.layer, self.act = nn.Linear(size, size), {act}

    def forward(self, x):
        return self.act(self.layer(x))


class Wide(Block):
    expansion = 2


def same(kind):
    return tuple(kind) if isinstance(kind, (list, tuple)) else (kind, kind)


def stages_of(kinds, counts, size):
    stages, widths = [], []
    for i, (kind, count) in enumerate(zip(kinds, counts)):
        blocks = []
        for _ in range(count):
            blocks.append(kind(size))
            widths.append(size * kind.expansion)
        stages.append((f"stage{{i + 1}}", nn.Sequential(*blocks)))
    return stages, widths


class Net(nn.Module):
    def __init__(self, kind, counts, size=3):
        super().__init__()
{build}

    def forward(self, x):
        x = self.stage1(x)
        x = self.stage2(x)
        x[..., 0] = 0.0
        return x


def small():
    return Net(Block, [1, 2])


def wide():
    return Net(Wide, [2, 2])


if __name__ == "__main__":
    for net in ({built}):
        net(torch.ones(2, 3)).sum().backward()
"""
BUILDS = {
    "in a helper": """        stages, _ = stages_of((kind, kind), counts, size)
        for stage in stages:
            self.add_module(*stage)""",
    "made two by another": """        stages, _ = stages_of(same(kind), counts, size)
        for name, stage in stages:
            self.add_module(name, stage)""",
    "in a loop of its own": """        for i, one in enumerate((kind, kind)):
            blocks = []
            for _ in range(counts[i]):
                blocks.append(one(size))
            self.add_module(f"stage{i + 1}", nn.Sequential(*blocks))""",
    "in a list": """        self.stage1 = nn.Sequential(*[kind(size) for _ in range(counts[0])])
        self.stage2 = nn.Sequential(*[kind(size) for _ in range(counts[1])])""",
}


@pytest.mark.parametrize("built", ["small(), wide()", "small(),"], ids=["two", "one"])
@pytest.mark.parametrize("act", ["nn.ReLU()", "nn.Softplus()"])
@pytest.mark.parametrize("build", BUILDS)
def test_layers_of_a_class_that_is_handed_on(build: str, act: str, built: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    text = PROGRAM.format(build=BUILDS[build], act=act, built=built)
    if built == "small(),":
        text = text.replace("def wide():\n    return Net(Wide, [2, 2])\n\n\n", "")
    program.write_text(text)
    assert refuses(program, tmp_path) == (act == "nn.ReLU()")
    assert told(text) == (["IPL101"] if act == "nn.ReLU()" else [])
