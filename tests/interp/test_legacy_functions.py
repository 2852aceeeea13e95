"""An `autograd.Function` whose object is called, as code from before torch 1.3 does; no torch of today runs it."""

from __future__ import annotations

from .in_torch import told

PROGRAM = """
import torch
from torch import nn
from torch.autograd import Function


class Doubled(Function):
    def forward(self, x):
        out = x.new().resize_(x.size())
        torch.mul(x, 2, out=out)
        {saves}
        return out

    def backward(self, gradient):
        return 2 * gradient


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        y = Doubled()(self.linear(x))
        y.add_(1)
        return y
"""


def test_its_forward_records_no_gradients() -> None:
    assert told(PROGRAM.format(saves="pass")) == []


def test_what_it_saves_must_not_be_written() -> None:
    assert told(PROGRAM.format(saves="self.save_for_backward(out)")) == ["IPL101"]
