"""`--add-ignore`: a comment at each finding, and nothing else in the file is changed."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from inplace_lint.checks import registry
from inplace_lint.cli import main
from inplace_lint.fixes.ignore import ignored
from inplace_lint.model import Diagnostic, Location, Refused
from inplace_lint.project.suppressions import suppress


def finding(row: int, end_row: int = 0, code: str = "IPL101") -> Diagnostic:
    rule = registry.find(code)
    assert rule is not None
    return Diagnostic(
        code, rule.name, "error", "certain", "message", Location("a.py", row, 1, end_row or row, 2)
    )


@pytest.mark.parametrize(
    ("before", "rows", "after"),
    [
        ("y += 1\n", (1, 1), "y += 1  # inplace-lint: ignore[IPL101]\n"),
        ("y += 1", (1, 1), "y += 1  # inplace-lint: ignore[IPL101]"),
        ("y += 1\r\nx\r\n", (1, 1), "y += 1  # inplace-lint: ignore[IPL101]\r\nx\r\n"),
        ("x\ry += 1\rx\r", (2, 2), "x\ry += 1  # inplace-lint: ignore[IPL101]\rx\r"),
        ("y += 1  # why\n", (1, 1), "y += 1  # why  # inplace-lint: ignore[IPL101]\n"),
        ("y += 1  # noqa: E501\n", (1, 1), "y += 1  # noqa: E501  # inplace-lint: ignore[IPL101]\n"),
        (
            "y += 1  # inplace-lint: ignore[IPL105] why\n",
            (1, 1),
            "y += 1  # inplace-lint: ignore[IPL105, IPL101] why\n",
        ),
        ("y.add_(\n    1,\n)\n", (1, 3), "y.add_(\n    1,\n)  # inplace-lint: ignore[IPL101]\n"),
        ("y.add_(1).mul_(\n2)\n", (1, 1), "y.add_(1).mul_(  # inplace-lint: ignore[IPL101]\n2)\n"),
        ("y += 1 + \\\n    2\n", (1, 2), "y += 1 + \\\n    2  # inplace-lint: ignore[IPL101]\n"),
        ('f("""\na\n""")\n', (1, 3), 'f("""\na\n""")  # inplace-lint: ignore[IPL101]\n'),
        ('f(\n"""\na""")\n', (1, 2), 'f(  # inplace-lint: ignore[IPL101]\n"""\na""")\n'),
        ('f(f"""\n{a}\n""")\n', (1, 3), 'f(f"""\n{a}\n""")  # inplace-lint: ignore[IPL101]\n'),
        ("s = '😀é'; y += 1\f\n", (1, 1), "s = '😀é'; y += 1\f  # inplace-lint: ignore[IPL101]\n"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_one_comment_and_nothing_else(before: str, rows: tuple[int, int], after: str, encoding: str) -> None:
    changed, left = ignored(before.encode(encoding), [finding(*rows)])
    assert (changed, left) == (after.encode(encoding), [])
    silenced = suppress("a.py", changed, [finding(*rows)], registry.problem)
    assert "IPL101" not in {one.code for one in silenced}


def test_codes_of_one_line_stand_in_one_comment() -> None:
    found = [finding(1, code="IPL105"), finding(1), finding(1)]
    assert ignored(b"y += 1\n", found) == (b"y += 1  # inplace-lint: ignore[IPL101, IPL105]\n", [])


@pytest.mark.parametrize("source", [b'f("""\n""")\n', b"y += 1 + \\\n2\n", b'f(f"""{\na}\n""")\n'])
def test_where_no_comment_may_stand_the_finding_is_left(source: bytes) -> None:
    one = finding(1)
    assert ignored(source, [one]) == (source, [one])


def test_an_encoding_is_kept() -> None:
    source = "# -*- coding: latin-1 -*-\ns = 'é'\ny += 1\n".encode("latin-1")
    assert ignored(source, [finding(3)])[0] == source[:-1] + b"  # inplace-lint: ignore[IPL101]\n"
    with pytest.raises(Refused):
        ignored(codecs.BOM_UTF8 + b"# coding: latin-1\n", [finding(1)])


BAD = """\
import torch


def f(x, w):
    y = torch.sigmoid(x @ w)
    y += 1
    return y.sum().backward()
"""


def test_files_are_changed_and_clean_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(BAD.replace("\n", "\r\n").encode())
    (tmp_path / "c.py").write_text("x = 1  # inplace-lint: ignore[IPL101]\n")
    (tmp_path / "d.py").write_text("x = (\n")
    assert main(["check", "--add-ignore", "--output-format", "concise"]) == 1
    captured = capsys.readouterr()
    assert [line.partition(": ")[0] for line in captured.out.splitlines()] == ["c.py:1:8", "d.py:1:5"]
    assert captured.err.startswith(
        "Ignored 2 findings by comments in 2 files.\nFound 1 error and 1 warning in 4 files."
    )
    wanted = BAD.replace("y += 1", "y += 1  # inplace-lint: ignore[IPL101]").replace("\n", "\r\n").encode()
    assert (tmp_path / "a.py").read_bytes() == (tmp_path / "b.py").read_bytes() == wanted
    assert main(["check", "--add-ignore", "a.py", "b.py"]) == 0
    assert (tmp_path / "a.py").read_bytes() == wanted
    assert capsys.readouterr().err.startswith("Ignored 0 findings by comments in 0 files.\nAll checks passed")
    assert main(["check", "--add-ignore", "-"]) == 2


def test_a_file_that_cannot_be_written_is_told_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(BAD)

    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.replace", refuse)
    assert main(["check", "--add-ignore", "a.py"]) == 2
    captured = capsys.readouterr()
    assert "a.py:6:5" in captured.out
    assert "a.py cannot be written: Permission denied" in captured.err
    assert (tmp_path / "a.py").read_text() == BAD
