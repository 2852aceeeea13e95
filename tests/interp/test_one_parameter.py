"""Which parameter an expression takes out of a model: only those that an op saved matter; torch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {own}
        self.first = nn.Linear(4, 4)
        self.second = nn.Sequential(nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x):
        return self.second(self.first(x)){scaled}


net = Net()
loss = net(torch.randn(2, 4)).sum()
weight = {taken}
with torch.no_grad():
    weight.add_(1)
loss.backward()
"""
#: The weight of the first layer is not saved, as its input is data; that of the second is.
TAKEN = {
    "list(net.parameters())[0]": False,
    "next(net.parameters())": False,
    "next(iter(net.parameters()))": False,
    "net.get_parameter('first.weight')": False,
    "net.get_parameter('second.1.weight')": True,
    "next(net.second.parameters())": True,
    "list(net.second.parameters())[0]": True,
    "[*net.parameters()][2]": True,
}


#: The first parameter of all is the model's own then, and saved by the product.
OWN = {"own": "self.scale = nn.Parameter(torch.ones(1))", "scaled": " * self.scale"}
OF_THE_MODEL = ["list(net.parameters())[0]", "next(net.parameters())", "next(iter(net.parameters()))"]


@pytest.mark.parametrize("taken", TAKEN)
def test_only_a_saved_parameter_may_not_be_written(tmp_path: Path, taken: str) -> None:
    check(tmp_path, PROGRAM.format(taken=taken, own="pass", scaled=""), TAKEN[taken])


@pytest.mark.parametrize("taken", OF_THE_MODEL)
def test_a_parameter_of_the_model_itself_comes_before_those_of_its_parts(tmp_path: Path, taken: str) -> None:
    check(tmp_path, PROGRAM.format(taken=taken, **OWN), True)


def check(tmp_path: Path, text: str, bad: bool) -> None:
    """Asks torch, and the tool."""
    raises = False
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        raises = True
    assert raises == bad
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == raises
