"""Findings do not hang on comments: with one at the end of each line, a program gives the same findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import everything
from inplace_lint.fixes.ignore import closed_rows
from inplace_lint.project import Settings
from inplace_lint.syntax.parse import without_comments

CASES = sorted((Path(__file__).parents[2] / "rules").glob("*/cases/*.py"))
SETTINGS = Settings(notes=True, min_confidence="possible")
#: What people write beside a finding, and words that mean something where they are code.
COMMENTS = (
    "# inplace-lint: ignore[IPL999]",
    "# inplace=True, out=y, y.add_(1).backward() max_norm=1 True .data detach no_grad() forward",
)


def commented(source: str, comment: str) -> str:
    closed = closed_rows(source)
    rows = enumerate(source.split("\n"), 1)
    return "\n".join(row if number in closed or "#" in row else f"{row}  {comment}" for number, row in rows)


def findings(name: str, source: str) -> list[tuple[str, int, int, str, str]]:
    return [
        (one.code, one.location.row, one.location.column, one.confidence, one.message)
        for one in everything(name, source.encode(), SETTINGS)
    ]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parts[-3][:6]}-{case.stem}")
def test_comments_change_nothing(case: Path) -> None:
    source = case.read_text(encoding="utf-8")
    plain = findings("case.py", source)
    for comment in COMMENTS:
        assert findings("case.py", commented(source, comment)) == plain


@pytest.mark.parametrize(
    ("source", "left"),
    [
        (b"x = 1  # y\nz", b"x = 1     \nz"),
        (b"x  # y # z", b"x         "),
        (b"# \xc3\xa9\n#\nx", b"    \n \nx"),
        (b"x = '# no'  # it's \"yes\"\n", b"x = '# no'" + b" " * 14 + b"\n"),
        (b'x = "it\'s # no"\n', b'x = "it\'s # no"\n'),
        (b"x = 1\n", b"x = 1\n"),
        (b"", b""),
    ],
)
def test_comments_become_blanks_and_strings_stay(source: bytes, left: bytes) -> None:
    assert without_comments(source) == left
