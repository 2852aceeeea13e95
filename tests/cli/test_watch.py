"""`--watch`: what makes it check again, and that it does, and ends."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint.cli import main
from inplace_lint.cli.watch import state
from inplace_lint.project.configuration import Configuration

ROOT = Path(__file__).parents[2]
BAD = "import torch\ndef f(x, w):\n    y = torch.sigmoid(x @ w)\n    y += 1\n    return y.sum().backward()\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda: Path("a.py").write_text("x = 22\n"),
        lambda: Path("sub/new.py").write_text("x = 1\n"),
        lambda: Path("sub/b.py").unlink(),
        lambda: Path("sub/b.py").rename("sub/c.py"),
        lambda: Path("inplace-lint.toml").write_text("ignore = ['IPL101']\n"),
        lambda: Path("inplace-lint.toml").write_text("ignore = [\n"),
        lambda: Path("base.toml").write_text("notes = true\n"),
        lambda: Path("known.json").write_text("{}"),
        lambda: Path("build").rename("source"),
    ],
    ids=["edit", "new", "gone", "renamed", "settings", "broken settings", "extended", "baseline", "found"],
)
def test_what_a_run_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "sub/b.py", "build/d.py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("x = 1\n")
    Path("base.toml").write_text("")
    Path("sub/inplace-lint.toml").write_text("extend = '../base.toml'\n")
    configuration = Configuration()
    before = state([], configuration.afresh(), "known.json")
    Path("notes.txt").write_text("no file of Python's")
    assert state([], configuration.afresh(), "known.json") == before
    change()
    assert state([], configuration.afresh(), "known.json") != before


def test_what_does_not_go_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, message in (
        (["--fix"], "--watch reports: it does not go with --fix"),
        (["--add-ignore"], "--watch reports: it does not go with --add-ignore"),
        (["-"], "standard input does not change"),
    ):
        assert main(["check", "--watch", *words]) == 2
        assert message in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_it_checks_again_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    (tmp_path / "--fix").write_text("x = 1\n")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "inplace_lint",
            "--output-format",
            "concise",
            "--watch",
            "--",
            "a.py",
            "--fix",
        ],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    assert process.stdout is not None
    lines: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=lambda: [lines.put(line) for line in process.stdout or ()])
    reader.start()

    def until(words: str) -> list[str]:
        said: list[str] = []
        while not said or words not in said[-1]:
            said.append(lines.get(timeout=60))
        return said

    try:
        first = until("Watching for changes; Ctrl-C ends.")
        assert first[0].startswith("a.py:4:5: error[IPL101]")
        (tmp_path / "a.py").write_text(BAD.replace("y += 1", "y = y + 1"))
        assert until("Watching")[0] == "All checks passed in 2 files.\n"
        (tmp_path / "a.py").unlink()
        assert "cannot be read" in until("Watching")[0]
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)
        reader.join(60)
        process.stdout.close()
    assert process.returncode == 130
    assert "Traceback" not in "".join(lines.queue)
