"""Whatever the source and the places are, the reports are drawn."""

from __future__ import annotations

import json
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_lint.checks import registry
from inplace_lint.model import Diagnostic, Edit, Fix, Label, Location
from inplace_lint.project.suppressions import suppress
from inplace_lint.report import FORMATS, render
from inplace_lint.report.findings import Findings

from .samples import finding, out

TEXT = st.text(
    st.sampled_from(
        [*"ab x=()+#\n\t\r\x00\x0c\x1b'\"\\", "注", "\u0301", "\u2028", "\u202e", "\U0001f600", "\ud800"]
    ),
    max_size=300,
)
PLACE = st.tuples(st.integers(1, 12), st.integers(1, 200), st.integers(0, 7), st.integers(1, 200)).map(
    lambda p: Location("a.py", p[0], p[1], p[0] + p[2], p[3] if p[2] else max(p[3], p[1]))
)


@settings(max_examples=300, deadline=None)
@given(TEXT, PLACE, st.lists(PLACE, max_size=4), TEXT)
def test_every_format_takes_every_place(
    text: str, main: Location, others: list[Location], words: str
) -> None:
    texts = {"a.py": text.encode("utf-8", "surrogatepass")}
    labels = tuple(Label("save", words, place) for place in others)
    diagnostic = Diagnostic(
        "IPL101", "saved-result-overwritten", "error", "likely", words, main, labels, words, words
    )
    for name in FORMATS:
        shown = render(name, Findings([diagnostic], lambda _: ".", texts))
        if name in ("full", "concise", "pylint", "azure", "junit"):
            assert not {"\x1b", "\x00", "\r", "\u202e"} & set(shown)
        if name in ("github", "azure", "pylint", "concise", "json-lines"):
            assert shown.count("\n") == 1
        elif name == "junit":
            ElementTree.fromstring(shown.encode())
        elif name not in ("full", "html"):
            json.loads(shown)


def calls(name: str, count: int) -> int:
    """How many calls it takes to write so many findings."""
    many = [
        Diagnostic(
            "IPL101",
            "saved-result-overwritten",
            "error",
            "likely",
            f"`y` is changed in `f{number}`",
            Location("a.py", number + 2, 1, number + 2, 7),
            (Label("save", "saves this", Location("a.py", number + 1, 1, number + 1, 9)),),
            fix=Fix("safe", "m", (Edit("y = y + 1", Location("a.py", number + 2, 1, number + 2, 7)),)),
        )
        for number in range(count)
    ]
    texts = {"a.py": b"y += 1\n" * (count + 2)}
    made = 0

    def count_one(frame: object, event: str, argument: object) -> None:
        nonlocal made
        made += event in ("call", "c_call")

    sys.setprofile(count_one)
    try:
        render(name, Findings(many, texts=texts, files=["a.py"]))
    finally:
        sys.setprofile(None)
    return made


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_report_costs_grows_with_the_findings_and_no_faster(name: str) -> None:
    calls(name, 10)  # what is imported and read once
    few, many = calls(name, 200), calls(name, 1600)
    assert many < 8.5 * few


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_findings_give_the_same_report(name: str) -> None:
    found = [finding(), finding("b.py"), finding("b.py", shift=3, severity="note")]
    assert out(name, *found) == out(name, *found)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(PLACE, max_size=3))
def test_comments_of_any_text_can_be_asked(text: str, places: list[Location]) -> None:
    source = ("# noqa # inplace-lint: ignore[IPL101]\n" + text).encode("utf-8", "surrogatepass")
    found = [
        Diagnostic("IPL101", "saved-result-overwritten", "error", "likely", "m", place) for place in places
    ]
    kept = suppress("a.py", source, found, registry.problem)
    assert all(one in found or one.code == "IPL001" for one in kept)
