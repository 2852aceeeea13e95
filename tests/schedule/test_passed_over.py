"""A function that passes over a helper of its own file, which saves what it writes, leaves that to its callers.

The helper is too large to be entered at once and writes nothing itself. Torch says which programs raise.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

pytest.importorskip("torch")

from ..interp.in_torch import refuses

MIXING = """import torch


class History:
    def __init__(self, size, dim):
        self.points = torch.zeros(size, dim)
        self.count = 0

    def record(self, x):
        {write}
        self.count += 1


def mix(history, rate):
    seen = history.points[: history.count]
    centre = seen.mean(0, keepdim=True)
    spread = (seen - centre).abs().sum(1, keepdim=True)
    weights = 1 / (1 + spread)
    weights = weights / weights.sum()
    new = rate * (weights * seen).sum(0)
    new = new + (1 - rate) * seen[-1]
    return new


def iterate(function, x):
    history = History(3, x.shape[-1])
    for _ in range(2):
        history.record(function(x))
        x = mix(history, 0.5)
    return x
"""
MODEL = """import torch
from torch import nn

from mixing import iterate


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return iterate(lambda z: torch.tanh(self.layer(z)), x)


if __name__ == "__main__":
    Model()(torch.randn(4)).sum().backward()
"""
OUT_OF_PLACE = "self.points = self.points.index_copy(0, torch.tensor([self.count]), x[None])"


@pytest.mark.parametrize("write", ["self.points[self.count] = x", OUT_OF_PLACE])
def test_what_a_helper_saves_is_left_to_callers_in_other_files(tmp_path: Path, write: str) -> None:
    (tmp_path / "mixing.py").write_text(MIXING.format(write=write))
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    found = check_source(str(path), path.read_bytes(), Settings(), Project(root=str(tmp_path)))
    told = any(one.code < "IPL2" and one.severity != "note" for one in found)
    assert told == refuses(path, tmp_path) == (write != OUT_OF_PLACE)
