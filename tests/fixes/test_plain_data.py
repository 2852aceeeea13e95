"""A finding and its fix are plain values: what travels between processes is small, and a fix is made without a tree."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.text import SourceText, apply
from inplace_lint.model import Diagnostic, FixPlan, Label, Location
from inplace_lint.project import Settings

RULES = Path(__file__).parents[2] / "rules"
#: One bad case for each rule, and every one whose fix rewrites more than one expression.
CASES = sorted(
    {min(folder.glob("cases/bad_*.py")) for folder in RULES.glob("IPL[1-5]*")}
    | set(RULES.glob("IPL40*/cases/bad_*.py"))
)
PLAIN = (str, int, float, bool, type(None))


def findings(case: Path) -> list[Diagnostic]:
    return everything(str(case), case.read_bytes(), Settings(min_confidence="possible"))


def parts(value: object) -> list[object]:
    """The values that a plain one is made of; fails for anything else."""
    if isinstance(value, (Diagnostic, Label, Location, FixPlan)):
        slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
        return [getattr(value, name) for name in slots]
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, dict):
        return [*value, *value.values()]
    assert isinstance(value, PLAIN), type(value)
    return []


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parts[-3][:6]}-{case.stem}")
def test_findings_are_plain_and_their_fixes_survive_the_way_to_another_process(case: Path) -> None:
    text = SourceText(case.read_bytes()).text
    for one in findings(case):
        pending: list[object] = [one]
        while pending:
            pending += parts(pending.pop())
        packed = pickle.dumps(one)
        assert len(packed) < 8_000
        there = pickle.loads(packed)
        if one.plan is not None:
            mine, theirs = one.plan.edits(text), there.plan.edits(text)
            assert [(e.content, e.location) for e in mine] == [(e.content, e.location) for e in theirs]


SCALED = """import math

import torch


def attend(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return torch.softmax(scores, dim=-1) @ v
"""


def message(source: str) -> str:
    found = everything("model.py", source.encode(), Settings())
    (plan,) = (one.plan for one in found if one.code == "IPL401")
    assert plan is not None
    assert ("import math" not in fixed(source, plan)) == ("the import of `math`" in plan.message)
    return plan.message


def fixed(source: str, plan: FixPlan) -> str:
    return apply(source, plan.edits(source))


def test_an_import_that_goes_with_a_fix_is_named() -> None:
    assert message(SCALED).endswith("; the import of `math` goes, which nothing reads any more")


@pytest.mark.parametrize("use", ["root = math.sqrt(2.0)", 'TOLD = "#", math.pi', '"""See math."""'])
def test_an_import_that_something_else_reads_or_speaks_of_stays(use: str) -> None:
    assert "the import of" not in message(f"{SCALED}\n\n{use}\n")


def test_a_comment_reads_no_import() -> None:
    assert "the import of `math`" in message(f"{SCALED}\n\nx = 1  # as in math\n")
