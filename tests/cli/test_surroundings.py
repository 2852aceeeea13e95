"""What the process is started in: streams that are closed or full, a directory that is gone, files that vanish."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.engine import pipeline

ROOT = Path(__file__).parents[2]
BAD = "import torch\ndef f(x, w):\n    y = torch.sigmoid(x @ w)\n    y += 1\n    return y.sum().backward()\n"

needs_shell = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such devices here")


def shell(command: str, cwd: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        ["sh", "-c", command.replace("LINT", f"{sys.executable} -m inplace_lint")],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@needs_shell
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        ("LINT check a.py > /dev/full", 2, "inplace-lint: cannot go on: No space left on device\n"),
        ("LINT rule --all > /dev/full", 2, "inplace-lint: cannot go on: No space left on device\n"),
        ("LINT check - <&-", 2, "inplace-lint: `-` is standard input, which is closed\n"),
        ("LINT check a.py >&-", 1, "Found 1 error in 1 file.\n"),
        ("LINT check a.py 2>&-", 1, ""),
        (
            "mkdir d; cd d; rmdir ../d; LINT check a.py",
            2,
            "inplace-lint: cannot go on: No such file or directory\n",
        ),
    ],
)
def test_streams_and_directory(command: str, code: int, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    status, _, error = shell(command, tmp_path)
    assert status == code
    assert error.startswith(message)
    assert "Traceback" not in error


def test_a_file_that_vanishes_meanwhile_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py", "c.py"):
        Path(name).write_text(BAD)
    examine = pipeline.examine_file

    def vanishing(target):  # type: ignore[no-untyped-def]
        found = examine(target)
        Path(target.filename).unlink(missing_ok=True)
        Path("c.py").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(pipeline, "examine_file", vanishing)
    assert main(["check", "--jobs", "1", "--diff", "--unsafe-fixes"]) in (0, 1, 2)
    for name in ("a.py", "b.py", "c.py"):
        Path(name).write_text(BAD)
    assert main(["check", "--jobs", "1"]) == 1
    captured = capsys.readouterr()
    assert "c.py:1:1\n" in captured.out
    assert "cannot be read: No such file or directory" in captured.out
    assert "Found 3 errors in 3 files." in captured.err


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
def test_what_comes_through_a_pipe_is_checked(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    status, out, _ = shell("bash -c 'LINT check --output-format concise <(cat a.py)'", tmp_path)
    assert status == 1
    assert re.match(r"/dev/fd/\d+:4:5: error\[IPL101\]", out)


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes of that kind")
def test_a_pipe_with_a_name_is_told_and_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.py")  # nobody writes into it
    (tmp_path / "a.py").write_text(BAD)
    assert main(["check", "--output-format", "concise", "a.py", "pipe.py"]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("a.py:4:5: error[IPL101]")
    assert second.endswith("cannot be read: it is a pipe, which may never end: let `-` read it")
    assert main(["explain", "pipe.py:1"]) == 2
    assert "it is a pipe" in capsys.readouterr().err
