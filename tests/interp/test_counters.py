"""A number that a method counts is not what `__init__` left: judged in torch."""

from __future__ import annotations

import pytest

import inplace_lint

torch = pytest.importorskip("torch")

PROGRAM = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.calls = {begins}

    def {counter}(self):
        self.calls {how} 1

    def forward(self, x):
        y = torch.sigmoid(self.inner(x))
        if self.calls > 0:
            y += 1
        return y
"""


@pytest.mark.parametrize(
    ("begins", "how", "counter", "raises"),
    [(-1, "+=", "count", True), (0, "+=", "count", True), (0, "=", "begin", True), (0, "< ", "ask", False)],
)
def test_what_stands_behind_a_counter(begins: int, how: str, counter: str, raises: bool) -> None:
    source = PROGRAM.format(begins=begins, how=how, counter=counter)
    there: dict[str, type[torch.nn.Module]] = {}
    exec(source, there)
    net = there["Net"]()
    for _ in range(2):
        getattr(net, counter)()
    if raises:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            net(torch.ones(2, 3)).sum().backward()
    else:
        net(torch.ones(2, 3)).sum().backward()
    found = [one.code for one in inplace_lint.check(source, filename="a.py").diagnostics]
    # A plain assignment elsewhere may stand for another object's: only a counter is followed.
    assert found == (["IPL101"] if raises and how == "+=" else [])
