"""Objects that `__init__` puts into a list or table are found in it, whatever was in it before: judged in torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import inplace_lint

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

PROGRAM = """\
import torch
from torch import nn

ALL = []
BY_NUMBER = {{}}


class Base(nn.Module):
    instances = []

    def __init__(self, size):
        super().__init__()
        self.dense = nn.Parameter(torch.ones(size, size))
        self.register_buffer("mask", torch.ones(size, size))
        {put}

    def forward(self, x):
        return x @ (self.dense * self.mask)


class Pruned(Base):
    pass


def prune():
    for one in {found}:
        one.mask.copy_(one.dense.detach() > 0.5)


def main():
    {begin}
    net = nn.Sequential(Pruned(3), nn.ReLU(), Pruned(3))
    {before}
    loss = net(torch.ones(2, 3)).sum()
    {after}
    loss.backward()


main()
"""
WAYS = {
    "the list of a class": ("Base.instances.append(self)", "Pruned.instances", "pass"),
    "the list of its class": ("type(self).instances.append(self)", "Base.instances", "pass"),
    "a list that is cleared": ("Base.instances.append(self)", "Base.instances", "Base.instances.clear()"),
    "a new list": ("Base.instances.append(self)", "Base.instances", "Base.instances = []"),
    "a list of the file": ("ALL.append(self)", "ALL", "ALL.clear()"),
    "a table": ("BY_NUMBER[len(BY_NUMBER)] = self", "BY_NUMBER.values()", "BY_NUMBER.clear()"),
    "a loop": (
        "for held in (ALL, Base.instances): held.append(self)",
        "Base.instances",
        "Base.instances.clear()",
    ),
}


@pytest.mark.parametrize("spoils", [True, False], ids=["between", "before"])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_written_is_what_was_built(way: str, spoils: bool, tmp_path: Path) -> None:
    put, found, begin = WAYS[way]
    before, after = ("pass", "prune()") if spoils else ("prune()", "pass")
    program = tmp_path / "main.py"
    program.write_text(PROGRAM.format(put=put, found=found, begin=begin, before=before, after=after))
    told = inplace_lint.check(program.read_text(), filename=str(program)).diagnostics
    assert refuses(program, tmp_path) == spoils
    assert [one.code for one in told if one.code < "IPL2"] == (["IPL102"] if spoils else [])
