"""Files in other encodings than UTF-8, and files that are no Python at all."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.syntax.module import Module
from inplace_lint.syntax.unreadable import UnreadableFile

BODY = """\
import torch
def f(x, w):
    ä = torch.sigmoid(x @ w); é = "é"; ä += 1
    return ä
"""


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "iso-8859-15", "utf-8", "utf-8-sig"])
def test_places_are_counted_in_characters_whatever_the_encoding(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"# -*- coding: {encoding} -*-\n{BODY}"
    (tmp_path / "a.py").write_bytes(text.encode(encoding))
    assert main(["check", "--isolated", "--output-format", "json", str(tmp_path / "a.py")]) == 1
    (found,) = json.loads(capsys.readouterr().out)
    assert found["code"] == "IPL101"
    assert found["message"].startswith("`ä` is changed in place")
    line = text.splitlines()[3]
    first, last = found["location"]["column"] - 1, found["end_location"]["column"] - 1
    assert line[first:last] == "ä += 1"


def test_a_byte_order_mark_moves_no_column() -> None:
    module = Module("a.py", b"\xef\xbb\xbfx = 1\n")
    assert module.lines[0] == b"x = 1"


#: Encodings that Python knows, and in which a program would not read as it stands.
ODD = "punycode undefined utf_7 unicode_escape raw_unicode_escape rot13 hex zlib utf-16-le cp037 nonsense".split()


@pytest.mark.parametrize("form", ["full", "github", "sarif"])
@pytest.mark.parametrize("encoding", ODD)
def test_an_encoding_that_is_none_for_python_is_told(
    encoding: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.py").write_text(f"# coding: {encoding}\nx = 1  # e\\n = 2\n")
    assert main(["check", "--isolated", "--output-format", form, str(tmp_path / "a.py")]) == 1
    shown = capsys.readouterr().out
    assert "IPL000" in shown
    assert "cannot be decoded" in shown


def test_an_escape_that_means_no_character_is_a_syntax_error_of_its_line() -> None:
    with pytest.raises(UnreadableFile) as caught:
        Module("a.py", b'a = 1\n\n\n\np = "C:\\Users\\new"\n')
    assert caught.value.message.startswith("syntax error: (unicode error) 'unicodeescape' codec")
    assert caught.value.row == 5


NOTEBOOK = {"cells": [{"cell_type": "code", "source": ["y += 1"]}], "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.py", "\ufeff\n\n" + json.dumps(NOTEBOOK, indent=1), "Jupyter notebook"),
        ("a.py", json.dumps(NOTEBOOK), "Jupyter notebook"),
        ("-", json.dumps(NOTEBOOK), "Jupyter notebook"),
        ("a.json", '{"a": [1, 2]}', "JSON, not Python"),
        ("a", "[]", "JSON, not Python"),
        ("-", '{"a": 1}', "JSON, not Python"),
    ],
)
def test_data_is_refused_by_its_name(
    name: str,
    text: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "-":
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    else:
        Path(name).write_text(text, encoding="utf-8")
    assert main(["check", "--isolated", name]) == 1
    captured = capsys.readouterr()
    assert captured.out.startswith(
        f"error[IPL000] unreadable-file: this is {'a ' * ('note' in message)}{message}"
    )
    assert "passed" not in captured.err


@pytest.mark.parametrize(
    "text", ["[]\n", '{"name": "module"}\n', "{x: 1}\n", "[y for y in z]\n", "{1, 2}\n", "{\n"]
)
def test_python_that_looks_like_data_is_python(text: str) -> None:
    try:
        Module("a.py", text.encode())
    except UnreadableFile as error:
        assert "syntax error" in error.message
