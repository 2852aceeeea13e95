"""The command as a process of its own: what it imports, pipes, signals, several jobs, odd names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inplace_lint.report import FORMATS

ROOT = Path(__file__).parents[2]

BAD = """\
import torch

a = torch.ones(3, requires_grad=True)
b = torch.sigmoid(a)
b += 1
b.sum().backward()
"""


def lint(*argv: str, cwd: Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "inplace_lint", *argv],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        timeout=120,
        check=False,
    )


def imported(*argv: str, cwd: Path) -> set[str]:
    """The modules that a run of the command has imported when it is done."""
    code = (
        "import sys; from inplace_lint.cli import main; "
        "main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *argv],
        cwd=cwd,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())


def test_a_small_check_imports_nothing_slow(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    slow = (
        "asyncio concurrent.futures difflib importlib.metadata libcst logging multiprocessing pathspec shtab "
        "shutil subprocess tempfile tomllib torch"
    )
    assert not imported("check", "a.py", cwd=tmp_path) & set(slow.split())


@pytest.mark.parametrize("form", ["full", "concise", "gitlab"])
def test_a_format_is_imported_when_it_is_asked_for(form: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    modules = imported("check", "--output-format", form, "a.py", cwd=tmp_path)
    others = {one.module for one in FORMATS.values()} - {FORMATS[form].module, "records"}
    assert not {f"inplace_lint.report.{name}" for name in others} & modules


def test_the_interpreter_is_imported_where_there_is_something_to_run(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD)
    (tmp_path / "good.py").write_text(BAD.replace("b += 1", "b = b + 1"))
    interpreter = "inplace_lint.interp.interpreter"
    assert interpreter in imported("check", "--no-cache", "bad.py", cwd=tmp_path)
    assert interpreter not in imported("check", "--no-cache", "good.py", cwd=tmp_path)


def test_nothing_imports_torch(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BAD)
    for argv in (["check", "a.py"], ["rule", "--all"], ["op", "sigmoid_"], ["explain", "a.py:5"], ["config"]):
        assert not {"torch", "numpy"} & imported(*argv, cwd=tmp_path), argv


def test_jobs_give_the_findings_of_one_process_in_the_same_order(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"m{number:02}.py").write_text(BAD if number % 3 else "x = (\n")
    one = lint("--jobs", "1", "--output-format", "json", cwd=tmp_path)
    two = lint("--jobs", "2", "--output-format", "json", cwd=tmp_path)
    assert len(json.loads(one.stdout)) == 60
    assert one.returncode == two.returncode == 1
    assert one.stdout == two.stdout
    assert one.stderr == two.stderr
    assert one.stderr.startswith(b"Found 60 errors in 60 files.\n[*] 40 fixable")


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"m{number}.py").write_text("x = (\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "inplace_lint", "--jobs", "1"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    error = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(60) == 1
    assert "Traceback" not in error
    assert "Broken pipe" not in error


@pytest.mark.parametrize("argv", [["-"], ["--jobs", "2", "PIPE", "a.py"]], ids=["stdin", "jobs"])
def test_an_interrupt_ends_the_run_quietly(tmp_path: Path, argv: list[str]) -> None:
    (tmp_path / "a.py").write_text(BAD)
    reading, writing = os.pipe()  # nobody writes into it: whoever reads it waits
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "inplace_lint",
            *(word.replace("PIPE", f"/dev/fd/{reading}") for word in argv),
        ],
        pass_fds=(reading,),
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        start_new_session=True,
        # A background job of a shell ignores Ctrl-C, and hands that on to its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler) and None,
    )
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    out, error = process.communicate(timeout=60)
    os.close(reading)
    os.close(writing)
    assert (process.returncode, out, error) == (130, b"", b"")


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"b\xff.py")
    try:
        (tmp_path / name).write_text("x = (\n")
    except OSError:
        pytest.skip("this file system takes text alone")
    for form in FORMATS:
        done = lint("--output-format", form, cwd=tmp_path)
        assert done.returncode == 1, done.stderr
        assert b"Traceback" not in done.stderr


def test_source_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        BAD.replace("b = ", "β = ").replace("b += ", "β += ").replace("b.sum", "β.sum"), encoding="utf-8"
    )
    done = lint(cwd=tmp_path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 1
    assert b"\\u03b2" in done.stdout
    assert done.stderr.startswith(b"Found 1 error in 1 file.\n")


def test_bad_input_is_reported_and_the_rest_is_checked(tmp_path: Path) -> None:
    (tmp_path / "ok.py").write_text(BAD)
    (tmp_path / "syntax.py").write_text("def f(:\n    pass\n")
    (tmp_path / "latin.py").write_bytes(b"x = 1\ny = '\xe9'\n")
    (tmp_path / "null.py").write_bytes(b"x = 1\ny = '\0'\n")
    (tmp_path / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000 + "\n")
    (tmp_path / "empty.py").write_text("")
    (tmp_path / "folder.py").mkdir()
    done = lint("--output-format", "json", cwd=tmp_path)
    assert done.returncode == 1
    found = {one["filename"]: one for one in json.loads(done.stdout)}
    assert {name: one["code"] for name, one in found.items()} == {
        "deep.py": "IPL000",
        "latin.py": "IPL000",
        "null.py": "IPL000",
        "ok.py": "IPL101",
        "syntax.py": "IPL000",
    }
    assert found["syntax.py"]["location"]["row"] == 1
    assert found["latin.py"]["location"]["row"] == 2
    assert b"Traceback" not in done.stderr
