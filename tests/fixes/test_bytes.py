"""Whatever a file looks like, a fix changes the span of its edits and not one byte more."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes import rewrite
from inplace_lint.fixes.apply import fix_source, resolve
from inplace_lint.fixes.files import diff
from inplace_lint.fixes.text import SourceText, apply, line_starts, location, span
from inplace_lint.model import Diagnostic, Edit, Refused
from inplace_lint.project import Settings

PROGRAM = """\
import torch


def gate(x, bias):
    y = torch.sigmoid(x.double())
    kept = y * x
    {comment}
    y {space}+=  2  # why
    return kept + y
"""


def lint(source: bytes) -> list[Diagnostic]:
    return everything("gate.py", source, Settings())


def fixed(source: bytes) -> bytes:
    return fix_source(source, lambda _, found: found, lint, unsafe=True).source


comments = st.text(
    st.characters(codec="latin-1", exclude_categories=["Cc", "Cs"], exclude_characters="\x85\xad"),
    max_size=12,
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    comment=comments,
    space=st.sampled_from(["", " ", "\t", " \\\n   "]),
    indent=st.sampled_from(["    ", "\t", "  "]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    coding=st.sampled_from(["", "# -*- coding: latin-1 -*-", "# vim: set fileencoding=cp1252 :"]),
    mark=st.booleans(),
    feed=st.booleans(),
    last=st.booleans(),
)
def test_only_the_edited_span_changes(
    comment: str, space: str, indent: str, end: str, coding: str, mark: bool, feed: bool, last: bool
) -> None:
    text = PROGRAM.format(comment=f"# {comment}", space=space).replace("    ", indent)
    text = (f"{coding}\n" if coding else "") + ("\f\n" if feed else "") + text
    text = (text if last else text.rstrip("\n")).replace("\n", end)
    encoding = {"# -": "latin-1", "# v": "cp1252"}.get(coding[:3], "utf-8")
    try:
        source = text.encode(encoding)
    except UnicodeEncodeError:
        return
    if mark and encoding == "utf-8":
        source = b"\xef\xbb\xbf" + source
    (finding,) = lint(source)
    assert finding.code == "IPL101", finding.message
    result = fixed(source)
    old = f"y {space}+=  2".replace("    ", indent).replace("\n", end).encode(encoding)
    new = f"y {space}=  y + 2".replace("    ", indent).replace("\n", end).encode(encoding)
    assert source.count(old) == 1
    assert result == source.replace(old, new)
    assert fixed(result) == result


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(st.sampled_from("ab\n\r\f\té漢"), max_size=40), st.data())
def test_places_and_offsets_are_each_others_inverse(text: str, data: st.DataObject) -> None:
    starts = line_starts(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    place = location("a.py", starts, start, end)
    assert span(starts, place) == (start, end)
    assert apply(text, [Edit("new", place)]) == text[:start] + "new" + text[end:]


def test_overlapping_edits_are_refused() -> None:
    starts = line_starts("abcd")
    edits = [Edit("x", location("a.py", starts, 0, 3)), Edit("y", location("a.py", starts, 2, 4))]
    with pytest.raises(Refused, match="overlap"):
        apply("abcd", edits)


def test_bytes_that_are_not_their_encoding_are_refused() -> None:
    with pytest.raises(Refused, match="encoding"):
        SourceText(b"# coding: ascii\n# \xff\n")


def test_a_diff_says_that_the_last_line_has_no_end() -> None:
    assert diff("a.py", b"a\nb", b"a\nc") == (
        "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n"
        "+c\n\\ No newline at end of file\n"
    )
    assert diff("a.py", b"a\n", b"a\n") == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y += b", "y = y + b"),
        ("y **= -b", "y = y ** (-b)"),
        ("y *= a if b else c", "y = y * (a if b else c)"),
        ("y -= (a, b)[0]", "y = y - (a, b)[0]"),
        ("y /= a / b", "y = y / (a / b)"),
        ("self.h //= f(  # why\n    a,\n)", "self.h = self.h // f(  # why\n    a,\n)"),
        ("y <<= 1", "y = y << 1"),
    ],
)
def test_augmented_assignment(before: str, after: str) -> None:
    assert rewrite.augmented(before) == after


@pytest.mark.parametrize(
    ("before", "links", "after"),
    [
        ("y.mul_(2)", 1, "y.mul(2)"),
        ("y.mul_(2).add_(1)", 2, "y.mul(2).add(1)"),
        ("y.mul_(2).add_(1)", 1, "y.mul_(2).add(1)"),
        ("y\n  .mul_(2)  # why\n  .add_(1)", 2, "y\n  .mul(2)  # why\n  .add(1)"),
    ],
)
def test_methods_of_a_chain(before: str, links: int, after: str) -> None:
    assert rewrite.method(before, links) == after


@pytest.mark.parametrize(
    ("before", "position", "after"),
    [
        ("F.relu(y, inplace=True)", None, "F.relu(y)"),
        ("nn.ReLU(inplace=True)", None, "nn.ReLU()"),
        ("f(inplace=True, p=0.1)", None, "f(p=0.1)"),
        ("F.dropout(y, 0.1, True, True)", 3, "F.dropout(y, 0.1, True, False)"),
        ("f(\r\n  y,\r\n  inplace=True,\r\n)", None, "f(\r\n  y,\r\n)"),
    ],
)
def test_the_flag_is_dropped(before: str, position: int | None, after: str) -> None:
    assert rewrite.without_argument(before, "inplace", position) == after


def test_a_comment_beside_the_flag_is_not_lost() -> None:
    with pytest.raises(Refused, match="comment"):
        rewrite.without_argument("f(\n  y,\n  inplace=True,  # saves memory\n)", "inplace", None)


def test_edits_of_a_diagnostic_make_the_fixed_file() -> None:
    source = PROGRAM.format(comment="# é", space="").encode()
    (one,) = lint(source)
    resolve([one], source, lint, [one])
    assert one.fix is not None
    assert apply(source.decode(), one.fix.edits).encode() == fixed(source)
