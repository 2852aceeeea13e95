"""What a run says of values that change unnoticed: another name reads them, a caller's tensor, a copy that is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplace_lint.runtime import unnoticed

from .command import ROOT, about

RULES = ROOT / "rules"
pytestmark = pytest.mark.usefixtures("no_traces")


def judged(file: Path, code: str, write: str, *names: str) -> dict[str, Any]:
    """The verdict on a finding that we make up, whose write is at the line with this text."""
    (verdict,) = unnoticed.examine(about(file, code, write, *names), lambda *stage: None)
    return verdict


CODE = """\
import torch


def stale(x: torch.Tensor):
    y = x * 1
    z = y
    y.mul_(3)
    return y + z


def fresh(x: torch.Tensor):
    y = x * 1
    return y.mul_(4)


def changes(x: torch.Tensor):
    x.mul_(5)
    return x


def changes_its_own(x: torch.Tensor):
    y = x * 1
    y.mul_(6)
    return y


def lost(x: torch.Tensor):
    x = x * 1
    x[x > 0].mul_(7)
    return x


def kept(x: torch.Tensor):
    x = x * 1
    x[0].mul_(8)
    return x


def seldom(x: torch.Tensor, deep: bool = False):
    if deep:
        x.mul_(9)
    return x


def fails(x: torch.Tensor):
    x.decode("rows")
    x.mul_(10)
    return x
"""


@pytest.mark.parametrize(
    ("code", "name", "write", "status", "reason"),
    [
        ("IPL204", "stale", "mul_(3)", "confirmed", "with that change made in memory of its own"),
        (
            "IPL205",
            "changes",
            "mul_(5)",
            "confirmed",
            "the caller's tensor has other values (relative error 4)",
        ),
        ("IPL205", "changes_its_own", "mul_(6)", "refuted", "the caller's tensors are as they were"),
        ("IPL206", "lost", "mul_(7)", "confirmed", "freed at once: nothing holds it"),
        ("IPL206", "kept", "mul_(8)", "refuted", "still there afterwards"),
        ("IPL205", "seldom", "mul_(9)", "inconclusive", "did not run on these inputs"),
        ("IPL205", "fails", "mul_(10)", "inconclusive", "found none"),
        ("IPL204", "fresh", "mul_(4)", "refuted", "the result is the same"),
    ],
)
def test_verdict_follows_from_the_values(
    tmp_path: Path, code: str, name: str, write: str, status: str, reason: str
) -> None:
    file = tmp_path / "values.py"
    file.write_text(CODE)
    verdict = judged(file, code, write, name)
    assert verdict["status"] == status, verdict
    assert reason in verdict["reason"]


@pytest.mark.parametrize(
    ("code", "case", "write"),
    [
        ("IPL206", "bad_rows", "x[[0, 1]].add_(1)"),
        ("IPL206", "bad_two_indices", "x[x > 0][0] = 5"),
        ("IPL204", "bad_silu_by_hand", "sigmoid_"),
    ],
)
def test_a_finding_outside_of_functions_runs_the_file(code: str, case: str, write: str) -> None:
    (path,) = RULES.glob(f"{code}-*/cases/{case}.py")
    assert judged(path, code, write)["status"] == "confirmed"
