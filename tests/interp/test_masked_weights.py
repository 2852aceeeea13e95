"""A weight that each forward multiplies by a mask, in a way that moves no version counter; torch is the judge."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

PROGRAM = """import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


class Masked(nn.Linear):
    def __init__(self, dim):
        super().__init__(dim, dim)
        {held}

    def forward(self, x):
        self.weight.data.mul_(self.mask)
        return F.linear(x, self.weight, self.bias)


torch.manual_seed(0)
net = nn.Sequential(Masked(4), nn.Tanh(), Masked(4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(3, 4)
loss = {loss}
loss.backward()
first = net[0].weight.grad.clone()
"""
#: What the weight is multiplied by, and whether a second forward leaves it as it was.
HELD = {
    "triangle": ("self.register_buffer('mask', torch.tril(torch.ones(dim, dim)))", True),
    "from numpy": (
        "self.register_buffer('mask', torch.ones(dim, dim))\n"
        "        self.mask.data.copy_(torch.from_numpy(np.tri(dim).astype(np.uint8)))",
        True,
    ),
    "a weight": ("self.mask = nn.Parameter(torch.full((dim, dim), 0.5))", False),
}


def gradient(held: str, loss: str) -> object:
    there: dict[str, object] = {}
    exec(compile(PROGRAM.format(held=held, loss=loss), "script", "exec"), there)
    return there["first"]


@pytest.mark.parametrize("name", HELD)
def test_a_mask_may_be_applied_again_before_backward(tmp_path: Path, name: str) -> None:
    """Two forwards before one backward: right as long as the second one changes no weight."""
    held, idempotent = HELD[name]
    both = gradient(held, "net(x).sum() + net(2 * x).sum()")
    if idempotent:  # the gradients of the two losses, each by a backward of its own
        apart = gradient(held, "net(x).sum()") + gradient(held, "net(2 * x).sum()")  # type: ignore[operator]
        assert torch.allclose(both, apart)
    text = PROGRAM.format(held=held, loss="net(x).sum() + net(2 * x).sum()")
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.code == "IPL201" for one in found if one.severity == "error") != idempotent
