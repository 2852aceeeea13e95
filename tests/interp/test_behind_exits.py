"""How sure a hazard is does not depend on what raises before it: judged in torch."""

from __future__ import annotations

from typing import Any

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn


class Checked:
    def __init__(self, options):
        for name in ("a", "b", "c", "d", "e", "f", "g", "h"):
            value = getattr(options, name, None)
            if value is not None and getattr(options, name + "_least", 0) > value:
                raise ValueError(name)


def checked(x, options):
{checks}
    return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x, options=None):
        {before}
        y = torch.sigmoid(self.inner(x))
        {after}
        y += 1
        return y
"""
#: Each of these may raise, and which of them do depends on many tests together.
CHECKS = "\n".join(
    f"    if (getattr(options, 'a{i}', 0) or getattr(options, 'a{i + 1}', 0)) and getattr(options, 'b{i % 5}', 0):\n"
    f"        raise ValueError({i})"
    for i in range(24)
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pass", "pass"),
        ("x = checked(x, options)", "pass"),
        ("x = checked(x.reshape(2, 3), options)", "checked(y.view(-1), options)"),
        ("pass", "checked(x, options)"),
        ("Checked(options)", "Checked(options)"),
    ],
)
def test_hazard_is_told_behind_what_may_raise(before: str, after: str) -> None:
    source = PROGRAM.format(checks=CHECKS, before=before, after=after)
    there: dict[str, Any] = {}
    exec(source, there)
    assert spoils(there["Net"]()(torch.ones(2, 3)))
    assert told(source) == ["IPL101"]


@pytest.mark.parametrize("condition", ["self.training", "not self.training"])
def test_what_only_evaluation_reaches_is_no_error(condition: str) -> None:
    source = PROGRAM.format(
        checks=CHECKS, before="x = checked(x, options)", after=f"if {condition}: return y"
    )
    there: dict[str, Any] = {}
    exec(source, there)
    assert spoils(there["Net"]()(torch.ones(2, 3))) == (condition != "self.training")
    assert told(source) == ([] if condition == "self.training" else ["IPL101"])
