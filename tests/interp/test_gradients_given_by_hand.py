"""`w.grad = …` keeps a value that nobody differentiates: what computed it saved nothing that is needed later."""

from __future__ import annotations

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

SOURCE = """\
import torch
from torch import nn


class Weighting(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.w = nn.Linear(4, 4), nn.Parameter(torch.ones(4))

    def forward(self, x, target):
        for _ in range(3):
            made = torch.mv(self.lin(x), self.w.detach())
            {use}
            self.w.data.copy_(target)
"""


@pytest.mark.parametrize(
    ("use", "told"),
    [("self.w.grad = made", False), ("self.kept = made", True), ("self.w.other = made", True)],
)
def test_a_gradient_given_by_hand_keeps_no_graph(use: str, told: bool) -> None:
    """Stored anywhere else, a caller may run backward from it after the write through `.data`."""
    found = check_source("case.py", SOURCE.format(use=use).encode(), Settings(), Project(root="."))
    assert any(one.severity == "error" for one in found) is told
