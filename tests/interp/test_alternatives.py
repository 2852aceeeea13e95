"""What a function has by several ways is followed as torch follows it, and looks that end early lower nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import inplace_lint
from inplace_lint.interp import budget

from .in_torch import refuses

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")

WAYS = """\
import torch
from torch import nn


class Extra(nn.Module):
    def forward(self, x, scores):
        return scores * 2


class Scores(nn.Module):
    def __init__(self, width, extra=None, rate=0.0):
        super().__init__()
        self.query, self.key, self.drop = nn.Linear(width, width), nn.Linear(width, width), nn.Dropout(rate)
        self.extra = {extra}

    def forward(self, x, {options}):
        scores = self.query(x) @ self.key(x).transpose(0, 1)
        if self.extra is not None:
            scores = self.extra(x, scores)
{steps}
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        {write}
        return weights @ x
"""
RUN = """

no = torch.zeros(4, 4, dtype=torch.bool)
Scores(4)(torch.ones(4, 4), *[no] * {count}).sum().backward()
"""
STEP = """\
        if mask{i} is not None:
            scores = scores.masked_fill(mask{i}, -1e9)
"""


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("extra", ["extra", "Extra() if extra else None", "None"])
@pytest.mark.parametrize(
    "write", ["weights[..., 0] = 0.0", "weights = weights.clone(); weights[..., 0] = 0.0"]
)
def test_a_method_of_one_tensor_or_another_is_one_op(
    tmp_path: Path, count: int, extra: str, write: str
) -> None:
    """Each optional step doubled what the scores may be, so that from the third on less was sure of them."""
    options = ", ".join(f"mask{i}=None" for i in range(count))
    source = WAYS.format(
        extra=extra, options=options, steps="".join(STEP.format(i=i) for i in range(count)), write=write
    )
    program = tmp_path / "a.py"
    program.write_text(source + RUN.format(count=count))
    found = [one.confidence for one in inplace_lint.check(source, "a.py").diagnostics if one.code < "IPL2"]
    assert found == (["certain"] if refuses(program, tmp_path) else [])


LONG = """\
import torch
from torch import nn


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin(x).sigmoid()


class Outer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        y = self.inner(x)
        y.mul_(2)
        {more}
        return y


def train(model, data, optimizer):
    for x in data:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""


@pytest.mark.parametrize("limit", range(40, 640, 40))
def test_a_look_that_ends_early_lowers_nothing(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """What a run of many steps did not come to is not known, so it says nothing against a finding."""
    source = LONG.format(more="\n        ".join(f"z{i} = y + {i}" for i in range(60)))
    before = _possible(source)
    monkeypatch.setattr(budget, "HARD_LIMIT", limit)
    assert not _possible(source) - before


def _possible(source: str) -> set[tuple[str, int]]:
    """The codes and rows of the findings that are only possible."""
    found = inplace_lint.check(source, "a.py", {"min-confidence": "possible"}).diagnostics
    return {(one.code, one.location.row) for one in found if one.confidence == "possible"}
