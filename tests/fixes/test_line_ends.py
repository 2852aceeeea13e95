"""A file with other line ends has the same findings at the same places, and its fixes bring none of another kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import fix_source
from inplace_lint.model import Diagnostic
from inplace_lint.project import Settings

RULES = Path(__file__).parents[2] / "rules"
FIXED = sorted(
    {min(found) for folder in RULES.glob("IPL*") if (found := list(folder.glob("cases/fixed_*.py")))}
    | set(RULES.glob("IPL401*/cases/fixed_*.py"))
)
#: A call that is broken into lines, and an import that is put in and one that goes.
LONG = """import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, longest):
        super().__init__()
        self.register_buffer("triangle", torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest))

    def forward(self, queries, keys, values):
        length = queries.size(-2)
        scores = (queries @ keys.transpose(-2, -1)) * (1.0 / math.sqrt(keys.size(-1) * 2))
        scores = scores.masked_fill(self.triangle[:, :, :length, :length] == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        return weights @ values
"""


def lint(text: bytes) -> list[Diagnostic]:
    return everything("f.py", text, Settings())


def fixed(text: bytes) -> bytes:
    return fix_source(text, lambda _, found: found, lint, unsafe=True).source


@pytest.mark.parametrize("case", FIXED, ids=lambda case: f"{case.parts[-3][:6]}-{case.stem}")
def test_line_ends_of_windows_stay(case: Path) -> None:
    bad = case.with_name(case.name.replace("fixed_", "bad_", 1)).read_bytes()
    windows = bad.replace(b"\n", b"\r\n")
    assert [one.location for one in lint(windows)] == [one.location for one in lint(bad)]
    assert fixed(windows) == fixed(bad).replace(b"\n", b"\r\n")


def test_a_call_over_several_lines_has_the_line_ends_of_its_file() -> None:
    after = fixed(LONG.encode())
    assert b"scaled_dot_product_attention(\n" in after
    assert fixed(LONG.encode().replace(b"\n", b"\r\n")) == after.replace(b"\n", b"\r\n")
