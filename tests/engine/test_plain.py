"""What is kept of findings between runs says all that the findings said."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.engine import plain
from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.text import SourceText
from inplace_lint.model import Diagnostic, FixPlan, Label, Location
from inplace_lint.project import Settings

RULES = Path(__file__).parents[2] / "rules"
CASES = sorted(RULES.glob("IPL[1-5]*/cases/bad_*.py"))


def parts(value: Any) -> Any:
    """All that a finding holds."""
    if isinstance(value, (Diagnostic, Label, Location, FixPlan)):
        slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
        return (type(value), [parts(getattr(value, name)) for name in slots])
    if isinstance(value, tuple):
        return ("tuple", [parts(part) for part in value])
    if isinstance(value, dict):
        return ("dict", [(parts(name), parts(part)) for name, part in value.items()])
    return (type(value), value)


@pytest.mark.parametrize("folder", sorted(RULES.glob("IPL[1-5]*")), ids=lambda folder: folder.name[:6])
def test_findings_are_the_same_after_they_were_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for case in sorted(folder.glob("cases/bad_*.py")):
        source = case.read_bytes()
        monkeypatch.chdir(case.parent)
        found = everything(case.name, source, Settings(notes=True, min_confidence="possible"))
        assert found
        text = plain.written(found, str(folder))
        assert "\n" not in text
        assert str(folder) not in text
        again = plain.read(text, str(folder))
        assert [parts(one) for one in again] == [parts(one) for one in found]
        for one, other in zip(found, again):
            if one.plan is not None and other.plan is not None:
                there = [(e.content, e.location) for e in other.plan.edits(SourceText(source).text)]
                assert there == [(e.content, e.location) for e in one.plan.edits(SourceText(source).text)]
        monkeypatch.chdir(tmp_path)  # from elsewhere the same files have other names
        assert {one.location.filename for one in plain.read(text, str(folder))} == {str(case)}


TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\ud800\udfff\0\n\u2028"))
NUMBERS = st.integers(1, 10**6)


@given(TEXTS, TEXTS, NUMBERS, NUMBERS)
def test_any_text_and_place(message: str, name: str, row: int, column: int) -> None:
    root = os.getcwd()
    place = Location("a" + name.replace("\0", "") + ".py", row, column, row, column + 1)
    label = Label("save", message, place)
    one = Diagnostic("IPL101", name, "error", "likely", message, place, (label,), help=message, remark=name)
    (again,) = plain.read(plain.written([one], root), root)
    assert again.message == message and again.labels[0].message == message and again.name == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "[1]",
        '[["Diagnostic"]]',
        '[["os"]]',
        '[["Edit", 1, 2]]',
        '[["pairwise", []]]',
        '[["@", "a"]]',
        '[["()"]]',
        "[[]]",
        "[[[]]]",
        "[" * 100_000,
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        plain.read(text, "/")
