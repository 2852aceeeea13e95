"""A fix may lead to a lesser finding about what it wrote, which has a fix in turn; any other new finding refuses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings

torch = pytest.importorskip("torch")

SOURCE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Grouped(nn.Module):
    def __init__(self, width=24, heads=6, groups=2, size=4):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, size
        self.q = nn.Linear(width, heads * size)
        self.k, self.v = nn.Linear(width, groups * size), nn.Linear(width, groups * size)

    def forward(self, x):
        b, n, _ = x.shape
        q = self.q(x).view(b, n, self.heads, self.size).transpose(1, 2)
        k = self.k(x).view(b, n, self.groups, self.size).transpose(1, 2)
        v = self.v(x).view(b, n, self.groups, self.size).transpose(1, 2)
        k = k.repeat_interleave(self.heads // self.groups, dim=1)
        v = v.repeat_interleave(self.heads // self.groups, dim=1)
        weights = F.softmax(q @ k.transpose(-2, -1) / self.size**0.5, dim=-1)
        return (weights @ v).transpose(1, 2).flatten(2)
"""


def test_grouped_queries_are_rewritten_in_two_steps(tmp_path: Path) -> None:
    """First the fused kernel with repeated heads (IPL404), then without them; it computes the same."""
    settings, project = Settings(notes=True, min_confidence="possible"), Project(root=str(tmp_path))

    def lint(source: bytes) -> list[Diagnostic]:
        return check_source(str(tmp_path / "case.py"), source, settings, project)

    done = fix_source(SOURCE.encode(), lambda text, found: found, lint, unsafe=True)
    assert set(done.counts) == {"IPL401", "IPL404"} and not done.refused
    text = done.source.decode()
    assert "enable_gqa=True" in text and "repeat_interleave" not in text
    results = []
    for source in (SOURCE, text):
        space: dict[str, type] = {}
        exec(compile(source, "case", "exec"), space)
        torch.manual_seed(0)
        results.append(space["Grouped"]()(torch.randn(2, 5, 24)))
    assert torch.allclose(*results, atol=1e-6)
