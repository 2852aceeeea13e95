"""An `nn.Sequential` of a list that a condition makes longer: judged in torch with the condition either way."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings
from inplace_lint.schedule import analyze

torch = pytest.importorskip("torch")

NET = """from torch import nn


class Net(nn.Module):
    def __init__(self, flag):
        super().__init__()
        layers = [nn.Linear(3, 3)]
{layers}
        self.net = nn.Sequential(*layers)

    def forward(self, x):
        return self.net(x)
"""


@pytest.mark.parametrize(
    "layers",
    [
        "layers += [nn.Sigmoid()]\nif flag:\n    layers.append(nn.BatchNorm1d(3))\n"
        "layers.append(nn.ReLU(inplace=True))",
        "if flag:\n    layers.append(nn.Sigmoid())\nlayers.append(nn.ReLU(inplace=True))",
        "layers.append(nn.Tanh())\nif not flag:\n    layers.append(nn.ReLU(inplace=True))\n"
        "layers.append(nn.Linear(3, 3))",
        "if flag:\n    layers.append(nn.BatchNorm1d(3))\nlayers.append(nn.ReLU(inplace=True))",
        "layers.append(nn.Sigmoid())\nif flag:\n    layers.append(nn.BatchNorm1d(3))\nelse:\n"
        "    layers.append(nn.Linear(3, 3))\nlayers.append(nn.ReLU(inplace=True))",
        "if flag:\n    layers.append(nn.Sigmoid())\nelse:\n    layers.append(nn.Linear(3, 3))\n"
        "    layers.append(nn.ReLU(inplace=True))\nlayers.append(nn.Linear(3, 3))",
    ],
    ids=[
        "norm that may be missing",
        "gate that may be there",
        "write that may be there",
        "nothing saved",
        "something between either way",
        "gate and write exclude each other",
    ],
)
def test_layers_that_a_condition_adds_are_run_on_their_paths(layers: str) -> None:
    text = NET.format(layers="\n".join(f"        {line}" for line in layers.splitlines()))
    names: dict[str, type[torch.nn.Module]] = {}
    exec(compile(text, "net.py", "exec"), names)
    raised = any(_raises(names["Net"](flag)) for flag in (True, False))
    found = check_source("net.py", text.encode(), Settings(), Project())
    assert [one.code for one in found] == (["IPL101"] if raised else [])


def _raises(net: torch.nn.Module) -> bool:
    loss = net(torch.randn(4, 3)).sum()
    try:
        loss.backward()
    except RuntimeError:
        return True
    return False


STACK = """import torch
from torch import nn


class Keeps(nn.Module):
    def forward(self, x, mask):
        return x.masked_fill(mask, 0.0)


class Adds(nn.Module):
    def forward(self, x, mask):
        mask += 1
        return x + mask


class Layer(nn.Module):
    def __init__(self, width, kind="keeps"):
        super().__init__()
        if kind == "adds":
            self.part = Adds()
        elif kind == "keeps":
            self.part = Keeps()
        self.net = nn.Linear(width, width)

    def forward(self, x, mask=None):
        return self.part(x + self.net(x), mask)


class Net(nn.Module):
    def __init__(self, depth, width, kind="keeps"):
        super().__init__()
        self.layers = nn.ModuleList([Layer(width, kind=kind) for _ in range(depth)])

    def forward(self, x, mask=None):
        for layer in self.layers:
            x = layer(x, mask=mask)
        return x
"""


def test_layers_that_are_built_alike_are_of_one_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyze, "suspects", lambda prefilter, module: [*module.functions_in_order(), None])
    assert check_source("net.py", STACK.encode(), Settings(), Project()) == []
    mixed = STACK.replace(
        "kind=kind) for _ in range(depth)", 'kind="adds" if i else "keeps") for i in range(3)'
    )
    assert [one.code for one in check_source("net.py", mixed.encode(), Settings(), Project())] == ["IPL102"]
