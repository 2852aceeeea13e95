"""The files that contain a name, and match a pattern, are the same however often was asked before."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inplace_lint.project.contents import Contents
from inplace_lint.project.package_files import answering, containing

TEXTS = {
    "a.py": "class One: pass\nclass Two(One): pass\nsetattr(x, name, One)\n",
    "b.py": "One1 = 2\nmy_Two = 3\ngröße = 4\n",
    "c.py": "from a import Two as größer\nx.größe = One.Two\n",
}
NAMES = ["One", "Two", "Thr", "größe", "gr", "größer", "a", "x.größe", "One.Two", "my_Two", "ne", "2"]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path)


def expected(name: str, pattern: str = "") -> list[str]:
    whole = rb"\b%s\b" % re.escape(name.encode())
    texts = {path: text.encode() for path, text in TEXTS.items()}
    return [
        path for path, text in texts.items() if re.search(whole, text) and re.search(pattern.encode(), text)
    ]


def test_a_name_is_found_as_a_whole_word_after_many_searches(folder: str) -> None:
    contents = Contents()
    for _ in range(20):
        for name in NAMES:
            found = containing(name, folder, contents)
            assert found is not None
            assert [Path(one).name for one in found] == expected(name), name
    assert contents.words  # the words of the texts are listed by now


def test_a_pattern_is_looked_for_once_in_a_file(folder: str) -> None:
    contents = Contents()
    for name in NAMES:
        found = answering(f"{name}\0setattr\\(", folder, contents)
        assert found is not None
        assert [Path(one).name for one in found] == expected(name, r"setattr\(")
    assert [*contents.matches] == ["setattr\\("]
    assert len(contents.matches["setattr\\("]) == len(TEXTS)
