"""What a custom Function keeps on its `ctx` is read by its own backward alone: nobody runs a backward from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.kept = {kept}
        ctx.save_for_backward(w)
        return x * w

    @staticmethod
    def backward(ctx, g):
        (w,) = ctx.saved_tensors
        return g * w, None


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, x):
        self.scale.mul_(0.9)
        return Scale.apply(self.lin(x) * self.scale, self.scale)


net = Net()
total = 0.0
for _ in range(3):
    {use}
"""
#: What is done with the results, and whether torch raises: only the last of them may be differentiated.
USES = {
    "never differentiated": ("total += net(torch.randn(2, 4)).detach().sum()", False),
    "each at once": ("net(torch.randn(2, 4)).sum().backward()", False),
    "all at the end": ("total = total + net(torch.randn(2, 4)).sum()\ntotal.backward()", True),
}


@pytest.mark.parametrize("kept", ["x", "[x]", "x.shape"])
@pytest.mark.parametrize("use", USES)
def test_a_write_in_the_next_round_spoils_only_what_is_differentiated_later(
    tmp_path: Path, use: str, kept: str
) -> None:
    done, bad = USES[use]
    text = PROGRAM.format(kept=kept, use=done)
    raises = False
    try:
        exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        assert "modified by an inplace operation" in str(error)
        raises = True
    assert raises == bad
    found = check_source(str(tmp_path / "script.py"), text.encode(), Settings(), Project(root=str(tmp_path)))
    assert any(one.severity == "error" for one in found) == bad
