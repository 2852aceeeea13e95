"""Tensors made with `requires_grad=True` say what a method is for, though its file calls it for a number alone."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

SOURCE = """\
import torch


class Simulation:
    def __init__(self, rate=1.0):
        self.rate = {rate}

    def run(self, n):
        path = torch.zeros(n, 5)
        for t in range(1, 5):
            path[:, t] = path[:, t - 1] * self.rate
        return path[:, -1]

    def price(self, strike):
        return torch.relu(self.run(10) - strike).mean().item()
"""
MADE = {
    "torch.tensor(rate, requires_grad=True)": True,
    "torch.tensor(rate).requires_grad_()": True,
    "torch.tensor(rate)": False,
    "rate": False,
}


@pytest.mark.parametrize("rate", MADE)
def test_a_simulation_by_its_parameters(rate: str) -> None:
    """The columns that a path is computed from were saved, and are written in the next step."""
    found = check_source("case.py", SOURCE.format(rate=rate).encode(), Settings(), Project(root="."))
    assert any(one.severity == "error" for one in found) is MADE[rate]
