"""What comments silence, and when they are called unused."""

from __future__ import annotations

import pytest

from inplace_lint.checks import registry
from inplace_lint.fixes.text import apply, united
from inplace_lint.model import Diagnostic, Location
from inplace_lint.project.suppressions import suppress


def finding(row: int, code: str = "IPL101", end_row: int | None = None) -> Diagnostic:
    rule = registry.find(code)
    assert rule is not None
    place = Location("a.py", row, 1, end_row or row, 9)
    return Diagnostic(code, rule.name, "error", "certain", "message", place)


def left(source: str, *found: Diagnostic) -> list[tuple[str, int]]:
    kept = suppress("a.py", source.encode(), list(found), registry.problem)
    return [(one.code, one.location.row) for one in kept]


@pytest.mark.parametrize(
    "comment",
    [
        "# inplace-lint: ignore",
        "# inplace-lint: ignore[IPL101]",
        "# inplace-lint: ignore[IPL101] the optimizer is frozen here",
        "#inplace-lint:ignore[ IPL101 ]",
        "# inplace-lint: ignore[saved-result-overwritten]",
        "# inplace-lint: ignore[IPL1]",
        "# inplace-lint: ignore[ALL]",
        "# noqa",
        "# NOQA",
        "# noqa: IPL101",
        "# noqa:IPL101",
        "# noqa: E501, IPL101 for speed",
        "# noqa: IPL1",
        "# type: ignore  # noqa: IPL101",
        "# type: ignore  # inplace-lint: ignore[IPL101]",
    ],
)
def test_comment_silences_the_finding_on_its_line(comment: str) -> None:
    assert left(f"y += 1  {comment}\n", finding(1)) == []


@pytest.mark.parametrize(
    "comment", ["# noqa: E501", "# noqa: because", "# noqarter", "# see noqa", "# ruff: noqa"]
)
def test_comment_for_others_silences_nothing(comment: str) -> None:
    assert left(f"y += 1  {comment}\n", finding(1)) == [("IPL101", 1)]


def test_comment_of_another_code_is_unused_and_the_finding_stays() -> None:
    assert left("y += 1  # inplace-lint: ignore[IPL102]\n", finding(1)) == [("IPL101", 1), ("IPL001", 1)]


def test_each_unused_code_is_reported() -> None:
    source = "y += 1  # inplace-lint: ignore[IPL101, IPL102, IPL103]\n"
    assert left(source, finding(1)) == [("IPL001", 1), ("IPL001", 1)]


def test_comment_on_any_line_of_the_span_counts() -> None:
    source = "y = f(\n    y,\n    inplace=True,  # inplace-lint: ignore[IPL101]\n)\n"
    assert left(source, finding(1, end_row=4)) == []
    assert left(source, finding(1, end_row=2)) == [("IPL101", 1), ("IPL001", 3)]


def test_whole_file() -> None:
    source = "# inplace-lint: file-ignore[IPL101]\ny += 1\nz += 1\n"
    assert left(source, finding(2), finding(3), finding(3, "IPL102")) == [("IPL102", 3)]
    assert left(source) == [("IPL001", 1)]
    assert left("# inplace-lint: file-ignore\ny += 1\n", finding(2)) == []
    assert left("# inplace-lint: file-ignore\ny = 1\n") == []


def test_words_in_a_string_are_no_comment() -> None:
    assert left('y += "# inplace-lint: ignore[IPL101]"\n', finding(1)) == [("IPL101", 1)]
    assert left('x = """\n# noqa\n"""; y += 1\n', finding(2)) == [("IPL101", 2)]


def test_unused_comment_without_any_finding() -> None:
    assert left("y = 1  # inplace-lint: ignore[IPL101]\n") == [("IPL001", 1)]
    assert left("y = 1  # inplace-lint: ignore\n") == [("IPL001", 1)]
    assert left("y = 1  # noqa: IPL101\n") == []


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("ignore[IPL999]", "no rule is called `IPL999`"),
        ("ignore[IPL10l]", "no rule is called `IPL10l`; did you mean `IPL10"),
        ("ignor[IPL101]", "`ignor` is not understood"),
        ("ignore[]", "needs the codes to ignore"),
        ("ignore[IPL101", "needs the codes to ignore and a closing bracket"),
    ],
)
def test_what_is_not_understood_is_said(comment: str, message: str) -> None:
    (kept,) = suppress("a.py", f"x = 1  # inplace-lint: {comment}\n".encode(), [], registry.problem)
    assert kept.code == "IPL001"
    assert message in kept.message


def test_place_of_an_unused_comment_is_the_comment() -> None:
    (kept,) = suppress("a.py", "é = 1  # hot  # inplace-lint: ignore\n".encode(), [], registry.problem)
    assert kept.location.key() == ("a.py", 1, 15, 1, 37)


def test_file_that_cannot_be_tokenized_keeps_its_findings() -> None:
    assert left("x = (  # inplace-lint: ignore\n", finding(1, "IPL000")) == [("IPL000", 1)]


@pytest.mark.parametrize("code", ["IPL000", "IPL002", "IPL003"])
def test_where_the_analysis_did_not_end_no_comment_is_called_unused(code: str) -> None:
    source = "def f():\n    y += 1  # inplace-lint: ignore[IPL101]\n    z += 1  # inplace-lint: ignore\n"
    assert left(source, finding(1, code)) == [(code, 1)]
    unknown = source.replace("IPL101", "IPL999")
    assert left(unknown, finding(1, code)) == [(code, 1), ("IPL001", 2)]
    assert len(left(source)) == 2


# What removes a comment that is not needed


def removed(source: str, *found: Diagnostic) -> str:
    """The source without what its comments say in vain."""
    plans = [one.plan for one in suppress("a.py", source.encode(), list(found), registry.problem)]
    edits = united(edit for plan in plans if plan is not None for edit in plan.edits(source))
    return apply(source, edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y += 1  # inplace-lint: ignore\n", "y += 1\n"),
        ("y += 1  # inplace-lint: ignore[IPL102] because\r\nz\r\n", "y += 1\r\nz\r\n"),
        ("y += 1\t# inplace-lint: ignore[IPL102]", "y += 1"),
        ("y += 1  # type: ignore  # inplace-lint: ignore[IPL102]\n", "y += 1  # type: ignore\n"),
        ("y += 1  # inplace-lint: ignore[IPL102]  # noqa: E501\n", "y += 1  # noqa: E501\n"),
        ("def f():\n    # inplace-lint: ignore[IPL102]\n    y += 1\n", "def f():\n    y += 1\n"),
        ("# inplace-lint: file-ignore[IPL102]\rx = 1\r", "x = 1\r"),
        ("# inplace-lint: file-ignore[IPL102]", ""),
        ("y += 1  # inplace-lint: ignore[IPL102,IPL103]\n", "y += 1\n"),
        ("y += 1  # inplace-lint: ignore[IPL103, nonsense]\n", "y += 1  # inplace-lint: ignore[nonsense]\n"),
        ("y += 1  # inplace-lint: ignore[IPL999]\n", "y += 1  # inplace-lint: ignore[IPL999]\n"),
        ("y += 1  # inplace-lint: ignroe[IPL101]\n", "y += 1  # inplace-lint: ignroe[IPL101]\n"),
        ("s = 'é'  # 😀  # inplace-lint: ignore[IPL101]\n", "s = 'é'  # 😀\n"),
    ],
)
def test_what_silences_nothing_is_removed_and_nothing_else(before: str, after: str) -> None:
    assert removed(before) == after


def test_the_codes_that_are_needed_stay() -> None:
    source = "y += 1  # inplace-lint: ignore[IPL102, IPL101, leaf-overwritten] why\n"
    assert removed(source, finding(1)) == "y += 1  # inplace-lint: ignore[IPL101] why\n"
