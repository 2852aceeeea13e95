"""Files are let go while many are checked: findings and fixes are those of each file alone."""

from __future__ import annotations

import gc
import json
import textwrap
from pathlib import Path

import pytest

from inplace_lint.checks import check_source
from inplace_lint.cli import main
from inplace_lint.interp import program
from inplace_lint.interp.frames import Loop
from inplace_lint.interp.run import Run
from inplace_lint.project.modules import Project
from inplace_lint.project.settings import Settings
from inplace_lint.schedule import left_open
from inplace_lint.syntax import files
from inplace_lint.syntax.module import FunctionSource

ATTENTION = """
    import torch
    import torch.nn.functional as F


    def attend(q, k, v, scale: float):
        weights = F.softmax(q @ k.transpose(-2, -1) * scale, dim=-1)
        return weights @ v
"""
GATE = """
    import torch

    from .helpers import halve


    def gate(x):
        y = torch.sigmoid(x)
        halve(y)
        return y
"""
#: `halve` writes by way of a function of a third file.
HELPERS = """
    from .deeper import shrink


    def halve(values):
        shrink(values)
"""
DEEPER = """
    import torch


    def shrink(values: torch.Tensor):
        values.mul_(0.5)
"""
PLAIN = """
    import torch


    def double(x):
        return torch.exp(x) * 2
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    texts = {
        "a": ATTENTION,
        "b": PLAIN,
        "c": GATE,
        "d": PLAIN,
        "deeper": DEEPER,
        "helpers": HELPERS,
        "z": PLAIN,
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text).lstrip(), encoding="utf-8")
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(program, "_latest", None)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *paths: Path) -> list[object]:
    main(["check", "--isolated", "--jobs", "1", "--output-format", "json", *map(str, paths)])
    return list(json.loads(capsys.readouterr().out))


def test_files_give_the_same_alone_and_among_others(
    package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = []
    for path in sorted(package.glob("*.py")):
        monkeypatch.setattr(program, "_latest", None)
        alone += found(capsys, path)
    monkeypatch.setattr(program, "_latest", None)
    assert found(capsys, package) == alone
    assert {one["code"] for one in alone if isinstance(one, dict)} == {"IPL101", "IPL401"}


def test_fixes_are_there_for_files_that_were_let_go(
    package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = found(capsys, package)
    monkeypatch.setattr(program, "_latest", None)
    monkeypatch.setattr(program, "_KEPT", 1)
    assert found(capsys, package) == at_once
    assert any(isinstance(one, dict) and one["fix"] for one in at_once)


def test_a_function_that_files_import_is_run_for_its_callers_once(
    package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "_KEPT", 1)
    (package / "e.py").write_text((package / "c.py").read_text(encoding="utf-8"), encoding="utf-8")
    seen: list[str] = []
    run = left_open.run_function

    def counted(within: program.Program, source: FunctionSource) -> Run:
        seen.append(source.name)
        return run(within, source)

    monkeypatch.setattr(left_open, "run_function", counted)
    main(["check", "--isolated", "--jobs", "1", "--output-format", "concise", str(package)])
    assert capsys.readouterr().out.count("IPL101") == 2
    assert seen.count("halve") == seen.count("shrink") == 1


def test_findings_are_the_same_where_little_is_kept(
    package: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = found(capsys, package)
    monkeypatch.setattr(program, "_latest", None)
    monkeypatch.setattr(program, "_KEPT", 1)
    monkeypatch.setattr(files, "_LASTING", 0)
    assert found(capsys, package) == at_once


#: Tensors that are taken from a list in a loop refer to the loop, and its states would refer to them.
LOOP = """
    import torch


    def gate(x, parts, n):
        y = torch.sigmoid(x)
        made = [torch.exp(part) for part in parts]
        for i in range(n):
            z = made[i]
            y = y + z
        y.mul_(0.5)
        return y
"""


@pytest.mark.parametrize(("text", "owner", "method"), [(GATE, Run, "close"), (LOOP, Loop, "forget")])
def test_runs_are_freed_without_the_garbage_collector(
    text: str, owner: type, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a run holds refers to itself in many ways; once the next file is begun, reference counts free most of it."""

    gate = textwrap.dedent(text)
    gates = gate + "".join(gate[gate.index("def gate") :].replace("gate", f"gate{i}") for i in range(20))

    def left_to_collect() -> int:
        project = Project(str(tmp_path))
        gc.collect()
        check_source(str(tmp_path / "gates.py"), gates.encode(), Settings(), project)
        check_source(str(tmp_path / "plain.py"), b"import torch\n", Settings(), project)
        return gc.collect()

    (tmp_path / "helpers.py").write_text(textwrap.dedent(HELPERS))
    (tmp_path / "deeper.py").write_text("def shrink(x):\n    x.mul_(0.5)\n")
    left_to_collect()  # what is imported and read for the first time
    gc.disable()
    try:
        closed = left_to_collect()
        monkeypatch.setattr(owner, method, lambda self: None)
        assert left_to_collect() > 3 * closed
    finally:
        gc.enable()
