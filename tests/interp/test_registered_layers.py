"""The layers of a class that derives from `nn.Sequential` are all called, whatever decides which they are: in torch."""

from __future__ import annotations

from typing import Any

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn


class Parts(nn.Sequential):
    def __init__(self, kind, make, *rest):
        super().__init__()
        {first}
        self.add_module("act", nn.ReLU(inplace=True))


class Net(nn.Module):
    def __init__(self, kind=0, make=nn.Flatten):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.parts = Parts(kind, make)

    def forward(self, x):
        return self.parts(torch.exp(self.inner(x)))
"""


@pytest.mark.parametrize(
    ("first", "raises"),
    [
        ("pass", True),
        ('self.add_module("first", nn.Linear(3, 3) if kind else nn.Softplus())', False),
        ('self.add_module("first", nn.Identity() if kind else nn.Flatten())', True),
        ("self.first = nn.Softplus() if kind else nn.LeakyReLU(0.2)", False),
        ('self.add_module("first", (nn.Softplus, nn.Tanhshrink)[kind]())', False),
        ('kind and self.add_module("first", nn.Softplus())', True),
    ],
)
def test_layer_before_one_that_works_in_place(first: str, raises: bool) -> None:
    source = PROGRAM.format(first=first)
    there: dict[str, Any] = {}
    exec(source, there)
    assert spoils(there["Net"]()(torch.ones(2, 3))) == raises
    assert told(source) == (["IPL101"] if raises else [])


def test_nothing_is_told_behind_an_unknown_layer() -> None:
    source = PROGRAM.format(first='self.add_module("first", make(3))').replace(
        "kind=0, make=nn.Flatten", "kind, make"
    )
    assert told(source) == []
