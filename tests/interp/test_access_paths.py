"""A finding at a call says what the call changes: its argument, or an attribute of an object, and not another name."""

from __future__ import annotations

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

PROGRAM = """
import torch
from torch import nn


class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("rows", torch.ones(3))

    def forward(self, x):
        return self.lin(x) * self.rows

    @torch.no_grad()
    def keep(self, x):
        self.rows.lerp_(x.mean(0), 0.1)


def blank(scale, t):
    t.mul_(scale)


class Squash(nn.Module):
    def forward(self, t):
        t.mul_(2)
        return t


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bank = Bank()
        self.act = nn.Sequential(nn.Sigmoid(), Squash())
        self.block = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Dropout(0.1, inplace=True))

    def of_an_object(self, x):
        y = self.bank(x)
        self.bank.keep(x)
        return y

    def of_an_argument(self, x):
        y = torch.sigmoid(self.bank.lin(x))
        blank(2.0, y[0])
        return y

    def by_keyword(self, x):
        y = torch.sigmoid(self.bank.lin(x))
        blank(t=y, scale=x)
        return y

    def of_its_own(self, x):
        return self.act(self.bank.lin(x))

    def of_layers_in_a_row(self, x):
        return x + self.block(x)
"""


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("self.bank.keep(x)", "`Bank.rows`"),
        ("blank(2.0, y[0])", "`y`"),
        ("blank(t=y, scale=x)", "`y`"),
        ("return self.act(self.bank.lin(x))", "a tensor"),
    ],
)
def test_what_the_call_changes_is_named(line: str, name: str) -> None:
    row = next(i for i, text in enumerate(PROGRAM.splitlines(), 1) if line in text)
    found = examine("program.py", PROGRAM.encode(), Settings())
    said = [one.message for one in found if one.location.row == row]
    assert len(said) == 1
    assert said[0].startswith(f"{name} is changed in place by this call")


def test_layers_in_a_row_are_named() -> None:
    row = next(i for i, text in enumerate(PROGRAM.splitlines(), 1) if "return x + self.block(x)" in text)
    found = examine("program.py", PROGRAM.encode(), Settings())
    (said,) = [one.message for one in found if one.location.row == row]
    assert said.endswith("within one call")
