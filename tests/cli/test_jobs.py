"""Several processes: the same findings in the same order as one, whatever starts them, and no more work than needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from inplace_lint import checks
from inplace_lint.cli import main
from inplace_lint.engine.processes import portions
from inplace_lint.hazards.finding import Finding
from inplace_lint.model import Diagnostic

ROOT = Path(__file__).parents[2]
HELPERS = """
    def halve(values):
        values.mul_(0.5)
"""
GATE = """
    import torch

    from .helpers import halve


    def gate(x):
        y = torch.sigmoid(x)
        halve(y)
        return y
"""
ATTENTION = """
    import torch.nn.functional as F


    def attend(q, k, v, scale: float):
        weights = F.softmax(q @ k.transpose(-2, -1) * scale, dim=-1)
        return weights @ v
"""
ADDED = """
    import torch


    def added(x):
        y = torch.exp(x.float())
        y += 1
        return y
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
        texts = {"__init__": "", "helpers": HELPERS, "gate": GATE, "attention": ATTENTION, "added": ADDED}
        for name, text in texts.items():
            (tmp_path / folder / f"{name}.py").write_text(textwrap.dedent(text).lstrip())
    return tmp_path


def run(package: Path, method: str, jobs: int) -> bytes:
    code = (
        "import multiprocessing, sys; from inplace_lint.cli import main\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.set_start_method(sys.argv[1]); main(sys.argv[2:])"
    )
    script = package.with_name(f"{package.name}.py")
    script.write_text(code)
    options = ["check", "--isolated", "--jobs", str(jobs), "--output-format", "json", "."]
    done = subprocess.run(
        [sys.executable, script, method, *options],
        cwd=package,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=300,
        check=False,
    )
    assert not done.stderr or b"Traceback" not in done.stderr, done.stderr.decode()
    return done.stdout


def test_any_number_of_processes_however_started_says_the_same(package: Path) -> None:
    alone = run(package, "fork", 1)
    found = json.loads(alone)
    assert [one["code"] for one in found] == ["IPL101", "IPL401", "IPL101"] * 3
    assert [one["fix"] is not None for one in found] == [True, True, True] * 3
    for method, jobs in (("fork", 2), ("fork", 3), ("spawn", 2), ("forkserver", 3)):
        assert run(package, method, jobs) == alone, (method, jobs)


def test_neighbours_are_checked_by_one_process_and_the_last_portions_are_small() -> None:
    for files, jobs in ((1, 2), (5, 4), (99, 2), (3_000, 2), (3_000, 64)):
        cut = list(portions(range(files), jobs))
        assert [one for portion in cut for one in portion] == list(range(files))
        sizes = [len(portion) for portion in cut]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] <= 4
        assert max(sizes) <= max(4, files // (2 * jobs))


@pytest.mark.parametrize("count", [4, 32])
def test_the_edits_of_many_fixes_are_tried_at_once(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = textwrap.dedent(ADDED)
    body = text.replace("import torch\n", "")
    (tmp_path / "m.py").write_text(text + "".join(body.replace("added", f"f{i}") for i in range(count - 1)))
    seen: list[str] = []
    check_source = checks.check_source

    def counted(filename: str, *rest: object) -> list[Diagnostic]:
        seen.append(filename)
        return check_source(filename, *rest)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(checks, "check_source", counted)
    monkeypatch.chdir(tmp_path)
    main(["check", "--isolated", "--output-format", "json", "m.py"])
    found = json.loads(capsys.readouterr().out)
    assert sum(one["fix"] is not None for one in found) == count
    assert len(seen) <= 3


def test_one_fix_that_does_not_hold_takes_no_other_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Finding, "is_saved_in", lambda *_: False)  # so that a useless fix is planned
    text = textwrap.dedent(ADDED)
    body = text.replace("import torch\n", "")
    stays = body.replace("added", "stays").replace(
        "    y += 1\n    return y\n", "    return torch.sin(y), y.zero_()\n"
    )
    functions = [*(body.replace("added", f"f{i}") for i in range(9)), stays, body.replace("added", "g")]
    (tmp_path / "m.py").write_text(text + "".join(functions))
    monkeypatch.chdir(tmp_path)
    main(["check", "--isolated", "--output-format", "json", "m.py"])
    found = json.loads(capsys.readouterr().out)
    assert [one["fix"] is not None for one in found] == [True] * 10 + [False, True]
    assert "would stay" in found[10]["fix_refused"]
    main(["check", "--isolated", "--fix", "--unsafe-fixes", "m.py"])
    assert "(11 fixed, 1 remaining)" in capsys.readouterr().err
