"""A leaf that a method overwrites is told where the method itself takes gradients: its caller has not turned them off.

Torch says which programs raise.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

pytest.importorskip("torch")

from .in_torch import refuses

FORCES = """import torch


def forces(model, pos):
    (g,) = torch.autograd.grad(model(pos), pos{options})
    return -g


def energies(model, pos):
    return model(pos)
"""
MOVER = """import torch

from forces import energies, forces


class Mover:
    def __init__(self, model):
        self.model = model

    def start(self, pos):
        self.pos = pos.clone().requires_grad_()
        self.f = forces(self.model, self.pos)

    def step(self):
        {write}
        self.f = {then}
{run}

if __name__ == "__main__":
    mover = Mover(lambda pos: pos.pow(2).sum())
    {call}
"""
RUN = """
    def run(self, pos):
        self.start(pos)
        self.step()
"""


@pytest.mark.parametrize("options", ["", ", create_graph=True"])
@pytest.mark.parametrize(
    ("write", "then", "call", "told"),
    [
        ("self.pos.add_(self.f)", "forces(self.model, self.pos)", "mover.run(torch.ones(3))", True),
        ("self.pos += self.f", "forces(self.model, self.pos)", "mover.run(torch.ones(3))", True),
        ("self.pos.detach().add_(self.f)", "forces(self.model, self.pos)", "mover.run(torch.ones(3))", False),
        ("self.pos.data.add_(self.f)", "forces(self.model, self.pos)", "mover.run(torch.ones(3))", False),
        (
            "with torch.no_grad():\n            self.pos.add_(self.f)",
            "forces(self.model, self.pos)",
            "mover.run(torch.ones(3))",
            False,
        ),
        (
            "self.pos.add_(self.f)",
            "energies(self.model, self.pos)",
            "mover.start(torch.ones(3))\n    with torch.no_grad():\n        mover.step()",
            False,
        ),
    ],
)
def test_a_leaf_is_told_where_the_method_differentiates(
    tmp_path: Path, options: str, write: str, then: str, call: str, told: bool
) -> None:
    (tmp_path / "forces.py").write_text(FORCES.format(options=options))
    path = tmp_path / "mover.py"
    path.write_text(MOVER.format(write=write, then=then, call=call, run=RUN if ".run(" in call else ""))
    script = path.read_text().partition("\n\nif __name__")[0] + "\n"
    found = check_source(str(path), script.encode(), Settings(), Project(root=str(tmp_path)))
    assert (
        any(one.code == "IPL103" and one.severity != "note" for one in found)
        == refuses(path, tmp_path)
        == told
    )
