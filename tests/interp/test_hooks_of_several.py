"""Hooks that are hung on modules picked from a model in many ways; torch says whether backward raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

SCRIPT = """import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.squeeze = nn.Linear(dim, dim)

    def forward(self, x):
        return torch.sigmoid(self.squeeze(x))


class Net(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.blocks = {held}

    def forward(self, x):
        for block in self.{each}:
            x = block(x)
        return x


class Steering(nn.Module):
    def __init__(self, model, names):
        super().__init__()
        self.targets = {targets}
        self.shift = nn.Parameter(torch.zeros(4))

    def hook(self, module, args, output):
        return {change}

    def hang(self):
        return [module.register_forward_hook(self.hook) for module in self.targets]


net = Net()
steering = Steering(net, ["blocks.{first}.1", "blocks.{last}.1"])
handles = steering.hang()
loss = net(torch.randn(2, 4)).sum()
loss.backward()
for handle in handles:
    handle.remove()
"""
TARGETS = {
    "by name": "[dict(model.named_modules())[name] for name in names]",
    "dict of names": "{{name: dict(model.named_modules())[name] for name in names}}.values()",
    "submodule": "[model.get_submodule(name) for name in names]",
    "by class": "[module for module in model.modules() if isinstance(module, Gate)]",
    "by name's end": "[module for name, module in model.named_modules() if name.endswith('.1')]",
    "by key": "[block[1] for block in model.{each}]",
}
#: How the model holds its blocks, how they are gone over, and what the first and the last are called.
BLOCKS = {
    "list": {
        "held": "nn.ModuleList([nn.Sequential(nn.Linear(dim, dim), Gate(dim)) for _ in range(3)])",
        "each": "blocks",
        "first": "0",
        "last": "2",
    },
    "dict": {
        "held": "nn.ModuleDict({f'b{i}': nn.Sequential(nn.Linear(dim, dim), Gate(dim)) for i in range(3)})",
        "each": "blocks.values()",
        "first": "b0",
        "last": "b2",
    },
}


@pytest.mark.parametrize("change", ["output.add_(self.shift)", "output + self.shift"])
@pytest.mark.parametrize("targets", TARGETS)
@pytest.mark.parametrize("blocks", BLOCKS)
def test_what_a_hook_writes_is_told_however_its_module_was_picked(
    tmp_path: Path, blocks: str, targets: str, change: str
) -> None:
    words = {"change": change, **BLOCKS[blocks]}
    source = SCRIPT.format(targets=TARGETS[targets].format(**words), **words)
    raises = False
    try:
        exec(compile(source, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        raises = "modified by an inplace operation" in str(error)
    assert raises == ("add_" in change)
    findings = check_source(
        str(tmp_path / "script.py"), source.encode(), Settings(), Project(root=str(tmp_path))
    )
    found = [one.code for one in findings if one.severity == "error"]
    assert bool(found) == raises, found
