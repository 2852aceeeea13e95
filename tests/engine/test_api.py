"""`check` and `check_paths`: what the command line finds, as values, and in a process that outlives what it read."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import inplace_lint
from inplace_lint import ConfigurationError, Result, Settings, check, check_paths
from inplace_lint.cli import main
from inplace_lint.engine import pipeline
from inplace_lint.interp import program
from inplace_lint.project.contents import Contents

from . import changing

ROOT = Path(__file__).parents[2]
GATE = "import torch\n\n\ndef gate(x, bias):\n    y = torch.sigmoid(x)\n    y += bias\n    return y\n"
CALLS = """\
import torch

from .helpers import halve


def gate(x):
    y = torch.sigmoid(x)
    halve(y)
    return y
"""
WRITES = "def halve(x):\n    x.mul_(0.5)\n"
RETURNS = "def halve(x):\n    return x * 0.5\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(result: Result) -> list[str]:
    return [one.code for one in result.diagnostics]


def told(result: Result) -> list[tuple[object, ...]]:
    return [
        (
            *(one.code, one.location.key(), one.confidence, one.severity, one.message, one.fix_refused),
            one.plan.told() if one.plan else None,
            *((label.message, label.location.key()) for label in one.labels),
        )
        for one in result.diagnostics
    ]


def test_a_program_without_a_file() -> None:
    result = check(GATE)
    (one,) = result.diagnostics
    assert (one.code, one.name, one.location.row) == ("IPL101", "saved-result-overwritten", 6)
    assert one.location.filename == "<string>"
    assert one.plan is not None and one.fix is None
    assert result.complete and result.files == ("<string>",)
    assert check("x = 1\n").diagnostics == ()


def test_edits_are_made_when_they_are_asked_for() -> None:
    (one,) = check(GATE, fixes=True).diagnostics
    assert one.fix is not None
    assert [edit.content for edit in one.fix.edits] == ["y = y + bias"]


def test_the_rest_of_the_project_is_read_from_disk() -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/helpers.py", WRITES)
    assert codes(check(CALLS, "pkg/gate.py")) == ["IPL101"]
    assert codes(check(CALLS, os.path.abspath("pkg/gate.py"))) == ["IPL101"]
    assert codes(check(CALLS, Path("elsewhere/gate.py"))) == []
    assert not Path("pkg/gate.py").exists()


def test_the_source_stands_for_what_is_on_disk() -> None:
    Path("a.py").write_text(GATE)
    assert codes(check("x = 1\n", "a.py")) == []
    assert codes(check_paths(["a.py"])) == ["IPL101"]
    assert codes(check_paths(["a.py"], sources={"a.py": "x = 1\n"})) == []
    assert codes(check_paths(["a.py"])) == ["IPL101"]


def test_buffers_that_are_not_saved_stand_for_files_that_others_import() -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/helpers.py", RETURNS)
    assert codes(check(CALLS, "pkg/gate.py")) == []
    assert codes(check(CALLS, "pkg/gate.py", sources={"pkg/helpers.py": WRITES})) == ["IPL101"]
    assert codes(check(CALLS, "pkg/gate.py")) == []
    os.remove("pkg/helpers.py")
    assert codes(check(CALLS, "pkg/gate.py")) == []
    assert codes(check(CALLS, "pkg/gate.py", sources={Path("pkg/helpers.py"): WRITES.encode()})) == ["IPL101"]
    assert codes(check(CALLS, "pkg/gate.py", sources={"pkg/helpers.py": "def halve("})) == []


def test_a_file_that_is_written_twice_in_a_moment_is_read_twice() -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    status = None
    for text, found in (
        (WRITES, ["IPL101"]),
        (RETURNS.replace("return", "retur_"), []),
        (WRITES, ["IPL101"]),
    ):
        with open("pkg/helpers.py", "w") as file:  # the same file, as large, and as new
            file.write(text.ljust(80, "\n"))
        if status is not None:
            os.utime("pkg/helpers.py", ns=(status.st_atime_ns, status.st_mtime_ns))
        status = os.stat("pkg/helpers.py")
        assert codes(check(CALLS, "pkg/gate.py")) == found


@pytest.mark.parametrize("seed", range(3))
def test_what_was_read_before_changes_no_finding(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    changing.begin(tmp_path)
    steps: list[str] = []
    for _ in range(25):
        steps += [changing.change(tmp_path, chance) for _ in range(chance.choice((1, 1, 2)))]
        warm = told(check_paths(["."], {"notes": True}))
        program._latest = None
        pipeline._projects.clear()
        pipeline._contents = Contents()
        assert warm == told(check_paths(["."], {"notes": True})), steps


def test_what_the_whole_package_does_is_asked_again() -> None:
    changing.put(Path(), "pkg/__init__.py", "")
    changing.put(Path(), "pkg/attention.py", changing.ATTENTION)
    before = told(check_paths(["."]))
    changing.put(Path(), "pkg/train.py", changing.FORMS["pkg/train.py"]["twice"])
    assert told(check_paths(["."])) != before
    assert told(check_paths(["."], sources={"pkg/train.py": ""})) == before
    changing.put(Path(), "pkg/train.py", None)
    assert told(check_paths(["."])) == before
    changing.put(Path(), "pyproject.toml", changing.FORMS["pyproject.toml"]["old"])
    assert told(check_paths(["."])) != before


def test_settings() -> None:
    assert codes(check(GATE, settings={"select": ["IPL4"]})) == []
    assert codes(check(GATE, settings={"min_confidence": "certain"})) == []
    assert codes(check(GATE, settings={"min-confidence": "certain"})) == []
    assert codes(check(GATE, settings=Settings(ignore=("IPL101",)))) == []
    Path("inplace-lint.toml").write_text('ignore = ["IPL101"]\n')
    assert codes(check(GATE, "a.py")) == []
    assert codes(check(GATE, "a.py", settings={"ignore": ()})) == ["IPL101"]
    assert codes(check(GATE, "a.py", settings=Settings())) == ["IPL101"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"selet": ["IPL1"]}, "settings: unknown key `selet`; did you mean `select`?"),
        ({"select": "IPL1"}, "settings: `select` must be a list of strings, not a string"),
        ({"select": ["IPL9"]}, "settings: `select` has an unknown rule:"),
    ],
)
def test_wrong_settings(settings: dict[str, object], message: str) -> None:
    for call in (lambda: check(GATE, settings=settings), lambda: check_paths(settings=settings)):
        with pytest.raises(ConfigurationError) as raised:
            call()
        assert str(raised.value).startswith(message)


def test_a_wrong_configuration() -> None:
    Path("inplace-lint.toml").write_text("selet = []\n")
    with pytest.raises(ConfigurationError):
        check(GATE, "a.py")
    Path("a.py").write_text(GATE)
    result = check_paths(["."])
    assert (result.files, len(result.errors), result.complete) == ((), 1, False)


def test_what_was_not_read_is_said() -> None:
    result = check_paths(["missing.py"], sources={"bad.py": "x = ("})
    assert [one.location.filename for one in result.unread] == ["missing.py"]
    assert not result.complete
    assert codes(check("x = (\n")) == ["IPL000"]
    assert codes(check("def f():\n" + "    x = 1\n" * 3)) == []


def test_comments_keep_findings_back() -> None:
    result = check(GATE.replace("y += bias", "y += bias  # inplace-lint: ignore[IPL101]"))
    assert (result.diagnostics, result.silenced) == ((), 1)


def test_places_in_a_notebook_are_those_of_its_cells() -> None:
    cell = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": GATE}
    book = json.dumps(
        {
            "cells": [{**cell, "source": "import torch"}, cell],
            "metadata": {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
    (one,) = check(book, "nb.ipynb").diagnostics
    assert (one.location.cell, one.location.row) == (2, 6)


def test_text_is_what_a_file_with_its_coding_line_holds() -> None:
    text = "# -*- coding: latin-1 -*-\nimport torch\ny = torch.ones(1, requires_grad=True).sigmoid()\n"
    text += "name = 'Größe'; y += 1\n"
    (one,) = check(text + "y.sum().backward()\n").diagnostics
    assert (one.location.row, one.location.column) == (4, 17)
    assert codes(check("# coding: nonsense\n")) == ["IPL000"]


def test_directories_are_checked_as_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    changing.begin(Path())
    main(["check", "--output-format", "json", "--notes"])
    found = [(one["code"], one["filename"], one["message"]) for one in json.loads(capsys.readouterr().out)]
    result = check_paths(["."], {"notes": True}, jobs=2)
    assert found == [(one.code, one.location.filename, one.message) for one in result.diagnostics]
    assert found
    assert {"pkg/gate.py", "pkg/block.py"} <= set(result.files)


def test_nothing_of_the_process_changes() -> None:
    limit = sys.getrecursionlimit()
    check(GATE)
    assert sys.getrecursionlimit() == limit


def test_importing_the_package_imports_nothing_of_it() -> None:
    code = "import sys, inplace_lint; print(*(n for n in sys.modules if n.startswith('inplace_lint')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["inplace_lint"]
    code = "import sys, inplace_lint; inplace_lint.check('x = 1'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]


def test_every_public_name_is_documented() -> None:
    for name in set(inplace_lint.__all__) - {"__version__", "trace"}:
        assert getattr(inplace_lint, name).__doc__, name
    with pytest.raises(AttributeError):
        inplace_lint.nothing  # noqa: B018


def test_one_path_may_be_named_by_itself(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(GATE)
    for named in (str(tmp_path), tmp_path / "a.py"):
        assert [one.code for one in check_paths(named).diagnostics] == ["IPL101"]


def test_a_source_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError, match="a source is a str or bytes, not NoneType"):
        check(None)  # type: ignore[arg-type]
