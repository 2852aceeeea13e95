"""Whatever the source and the places are, the reports are drawn."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_lint.checks import registry
from inplace_lint.model import Diagnostic, Label, Location
from inplace_lint.project.suppressions import suppress
from inplace_lint.report import FORMATS, render
from inplace_lint.report.findings import Findings

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
        out = render(name, Findings([diagnostic], lambda _: ".", texts))
        if name in ("full", "concise"):
            assert not {"\x1b", "\x00", "\r", "\u202e"} & set(out)
        elif name in ("json", "sarif"):
            json.loads(out)
        elif name == "github":
            assert out.count("\n") == 1


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(PLACE, max_size=3))
def test_comments_of_any_text_can_be_asked(text: str, places: list[Location]) -> None:
    source = ("# noqa # inplace-lint: ignore[IPL101]\n" + text).encode("utf-8", "surrogatepass")
    found = [
        Diagnostic("IPL101", "saved-result-overwritten", "error", "likely", "m", place) for place in places
    ]
    kept = suppress("a.py", source, found, registry.problem)
    assert all(one in found or one.code == "IPL001" for one in kept)
