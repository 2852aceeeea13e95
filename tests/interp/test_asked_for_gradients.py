"""Where code asks `x.requires_grad`, its else-branch records nothing of what was computed from x alone."""

from __future__ import annotations

import pytest

from .in_torch import spoils, told

torch = pytest.importorskip("torch")

HEAD = """\
import torch
from torch import nn


class Profile(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("centre", torch.ones(3))
        self.scale = nn.Parameter(torch.ones(3))

    def forward(self, x):
        r = x * 2
        d = {distance}
        e = torch.exp(d)
        if r.requires_grad:
            {asked}
        else:
            {otherwise}
        return e


profile = Profile()
"""
TRAINING = "profile(torch.ones(3, requires_grad=True)).sum().backward()\n"
#: What `e` is computed from, what each branch does with it, and whether torch refuses it for an x that needs gradients.
CASES = {
    "a buffer, written where nothing is recorded": ("r - self.centre", "e = e + 1", "e += 1", False),
    "a buffer, `out=` where nothing is recorded": (
        "r - 1",
        "e = e + 1",
        "torch.exp(d, out=torch.ones(3))",
        False,
    ),
    "a buffer, written where it is recorded": ("r - self.centre", "e += 1", "e = e + 1", True),
}


@pytest.mark.parametrize("case", CASES)
def test_the_else_branch_records_nothing(case: str) -> None:
    distance, asked, otherwise, wrong = CASES[case]
    source = HEAD.format(distance=distance, asked=asked, otherwise=otherwise)
    scope: dict[str, object] = {}
    exec(compile(source, "a.py", "exec"), scope)
    profile = scope["profile"]
    assert callable(profile)
    assert not profile(torch.ones(3)).requires_grad
    assert spoils(profile(torch.ones(3, requires_grad=True))) == wrong
    assert bool(told(source + TRAINING)) == wrong


def test_a_parameter_is_recorded_whatever_is_asked() -> None:
    source = HEAD.format(distance="r * self.scale", asked="e = e + 1", otherwise="e += 1")
    scope: dict[str, object] = {}
    exec(compile(source, "a.py", "exec"), scope)
    profile = scope["profile"]
    assert callable(profile)
    assert spoils(profile(torch.ones(3)))
    assert told(source) == ["IPL101"]
