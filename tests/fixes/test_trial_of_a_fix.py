"""What is analysed to try a fix: the changed source, and the unchanged one only if the changed one has more in it."""

from __future__ import annotations

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.apply import resolve
from inplace_lint.model import Diagnostic, Location
from inplace_lint.project import Settings

#: Two functions with a finding each.
SOURCE = b"""\
import torch


def one(x):
    y = torch.sigmoid(x.float())
    y += 1
    return y


def other(z):
    w = torch.tanh(z)
    w += 1
    return w
"""


def tried(known: list[Diagnostic]) -> tuple[list[bytes], Diagnostic]:
    """The sources that are analysed when the fix of the first finding is tried, and that finding."""
    seen: list[bytes] = []

    def lint(source: bytes) -> list[Diagnostic]:
        seen.append(source)
        return everything("f.py", source, Settings())

    first = next(one for one in everything("f.py", SOURCE, Settings()) if one.location.row == 6)
    resolve([first], SOURCE, lint, known)
    return seen, first


def test_the_unchanged_source_is_not_analysed_if_all_that_is_left_is_known() -> None:
    seen, first = tried(everything("f.py", SOURCE, Settings()))
    assert first.fix is not None
    assert SOURCE not in seen
    assert len(seen) == 1


def test_the_unchanged_source_says_that_what_is_left_was_there_before() -> None:
    seen, first = tried([])
    assert first.fix is not None
    assert seen.count(SOURCE) == 1
    assert len(seen) == 2


def test_a_finding_that_the_fix_brings_refuses_it_whatever_is_known() -> None:
    every = everything("f.py", SOURCE, Settings())
    first = next(one for one in every if one.location.row == 6)
    place = Location("f.py", 1, 1, 1, 2)
    new = Diagnostic("IPL101", "saved-result-overwritten", "error", "certain", "a new one", place)
    resolve([first], SOURCE, lambda source: every if source == SOURCE else [new], every)
    assert first.fix is None
    assert "another finding" in (first.fix_refused or "")
