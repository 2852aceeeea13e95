"""A fix does not assign an attribute that its class does not let be assigned."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

CLASSES = {
    "a named tuple": ("class State(NamedTuple):\n    h: torch.Tensor\n    c: torch.Tensor\n", False),
    "a named tuple, by module": ("class State(typing.NamedTuple):\n    c: torch.Tensor\n", False),
    "a frozen record": ("@dataclass(frozen=True)\nclass State:\n    c: torch.Tensor\n", False),
    "a property": ("class State:\n    @property\n    def c(self):\n        return self.kept\n", False),
    "a record": ("@dataclass\nclass State:\n    h: torch.Tensor\n    c: torch.Tensor\n", True),
    "a named tuple with other fields": ("class State(NamedTuple):\n    h: torch.Tensor\n", True),
}
SOURCE = """\
import typing
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn


{state}

class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.peep = nn.Linear(4, 4), nn.Parameter(torch.randn(4))

    def forward(self, x, state):
        f = torch.sigmoid(self.lin(x) + state.c * self.peep)
        state.c.mul_(f)
        return state.c
"""


@pytest.mark.parametrize("kind", CLASSES)
def test_a_field_is_assigned_only_if_it_can_be(kind: str) -> None:
    """`state.c = state.c.mul(f)` would raise an AttributeError for a tuple's field."""
    text, offered = CLASSES[kind]
    found = check_source("case.py", SOURCE.format(state=text).encode(), Settings(), Project(root="."))
    (one,) = (one for one in found if one.code == "IPL102")
    assert (one.plan is not None) is offered
