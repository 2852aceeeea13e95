"""A method is run as its decorator leaves it."""

from __future__ import annotations

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

TEXT = b"""import functools

import torch
from torch import nn


def evaluation(fn):
    @functools.wraps(fn)
    def wrapper(self, *args, **kwargs):
        was = self.training
        self.eval()
        try:
            with torch.no_grad():
                return fn(self, *args, **kwargs)
        finally:
            self.train(was)

    return wrapper


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x):
        return self.fc(x)

    @evaluation
    def predict(self, x):
        probs = self(x).softmax(-1)
        probs /= probs.sum(-1, keepdim=True)
        return probs


if __name__ == "__main__":
    net = Net()
    net(torch.randn(5, 4)).sum().backward()
    net.predict(torch.randn(5, 4))
"""


def test_grad_mode_that_a_decorator_of_the_project_sets_counts() -> None:
    found = check_source("net.py", TEXT, Settings(), Project())
    assert [one.code for one in found if one.severity == "error"] == []
