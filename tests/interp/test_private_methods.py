"""Methods whose names begin with two underscores alone are the class's own helpers, and followed like any other."""

from __future__ import annotations

import pytest

from inplace_lint import check

from .in_torch import spoils

torch = pytest.importorskip("torch")

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.rest = {rest}

    def __layer(self, width):
        return nn.Sequential(nn.Sigmoid(), self.__end())

    def __end(self):
        return {end}

    def __change(self, y):
        {change}
        return y

    def forward(self, x):
        y = self.lin(x).sigmoid()
        return self.__change(self.rest(y))
"""
#: What the constructor builds, what its private helper does, and how the last helper goes on.
FORMS = {
    "nothing in place": ("self.__layer(3)", "nn.Dropout(0.5)", "y = y * 2"),
    "built by a private method": ("self.__layer(3)", "nn.Dropout(0.5, inplace=True)", "y = y * 2"),
    "built in a list": (
        "nn.Sequential(*[self.__layer(3) for _ in range(2)])",
        "nn.ReLU(inplace=True)",
        "pass",
    ),
    "changed by a private method": ("nn.Sigmoid()", "nn.Identity()", "y.mul_(2)"),
    "one that is not called": ("nn.Identity()", "nn.ReLU(inplace=True)", "pass"),
}


@pytest.mark.parametrize("rest, end, change", FORMS.values(), ids=FORMS)
def test_what_private_methods_build_and_do(rest: str, end: str, change: str) -> None:
    """Torch says which backward raises."""
    source = NET.format(rest=rest, end=end, change=change)
    scope: dict[str, object] = {}
    exec(source, scope)
    net = scope["Net"]
    assert callable(net)
    raises = spoils(net()(torch.randn(2, 3)))
    told = [one for one in check(source).diagnostics if one.code == "IPL101" and one.severity == "error"]
    assert bool(told) is raises
