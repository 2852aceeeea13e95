"""A function writes what a network among its arguments got before: who calls it knows what that saves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

SOURCE = """\
import torch
from torch import nn


class Saves(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x)


class Keeps(nn.Module):
    def forward(self, x):
        return x + 1


def loss_of(net, first, z):
    fake = first(z)
    one = net(fake)
    {write}
    return (one - net(fake)).pow(2).mean()


def run(steps):
    net = {net}()
    for _ in range(steps):
        loss_of(net, Saves(), torch.randn(2, 4)).backward()
"""
WRITES = {"fake += 1": True, "fake.mul_(2)": True, "fake = fake + 1": False, "pass": False}


@pytest.mark.parametrize("net", ["Saves", "Keeps"])
@pytest.mark.parametrize("write", WRITES)
def test_the_caller_decides(net: str, write: str, tmp_path: Path) -> None:
    """Without `--notes`, a write is told just where torch's backward raises with the network of the caller."""
    source = SOURCE.format(write=write, net=net)
    space: dict[str, Callable[[int], None]] = {}
    exec(compile(source, "case", "exec"), space)
    try:
        space["run"](1)
    except RuntimeError as error:
        assert "modified by an inplace" in str(error)
        raises = True
    else:
        raises = False
    assert raises == (WRITES[write] and net == "Saves")
    found = check_source(str(tmp_path / "case.py"), source.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == raises
