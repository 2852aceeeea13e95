"""A custom autograd.Function whose `forward` takes `*args` saves what it saves, however many it is given.

Checkpointing by hand and reversible layers hand all parameters of a module over:
`Rerun.apply(net, x, *net.parameters())`. Torch says which programs raise.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from .in_torch import refuses, told

PROGRAM = """
import torch
from torch import nn


class Rerun(torch.autograd.Function):
    @staticmethod
    def forward(ctx, net, x, *rest):
        ctx.net = net
        ctx.save_for_backward({saved})
        with torch.no_grad():
            return net(x)

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        parameters = [*ctx.net.parameters()]
        with torch.enable_grad():
            y = ctx.net(x)
        grads = torch.autograd.grad(y, [x, *parameters], grad)
        return None, grads[0], *({rest})


{apply}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.block = nn.Sequential(nn.Linear(3, 3), nn.Tanh())

    def forward(self, x):
        h = self.stem(x)
        y = rerun(self.block, h)
        h += y
        return h


if __name__ == "__main__":
    Net()(torch.randn(2, 3)).sum().backward()
"""
APPLY = {
    "a star": "def rerun(net, x):\n    return Rerun.apply(net, x, *net.parameters())",
    "a list": "def rerun(net, x):\n    given = list(net.parameters())\n    return Rerun.apply(net, x, *given)",
    "written out": "def rerun(net, x):\n    return Rerun.apply(net, x, net[0].weight, net[0].bias)",
    "a closure": """
def wrapped(net):
    def call(x):
        return Rerun.apply(net, x, *net.parameters())
    return call

def rerun(net, x):
    return wrapped(net)(x)
""",
}


@pytest.mark.parametrize("way", APPLY)
@pytest.mark.parametrize("saved", ["x", "x.clone()"])
def test_what_is_saved_of_a_fixed_argument_is_found(tmp_path: Path, way: str, saved: str) -> None:
    source = PROGRAM.format(saved=saved, apply=APPLY[way], rest="grads[1:]")
    (tmp_path / "main.py").write_text(source)
    assert ("IPL102" in told(source)) == refuses(tmp_path / "main.py", tmp_path) == (saved == "x")
