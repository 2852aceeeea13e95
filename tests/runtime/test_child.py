"""The child process outlives whatever user code does, says what it was, and goes on with the next job."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inplace_lint.runtime.child import Children, Job, Limits, Outcome

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes need fork")

HERE = str(Path(__file__).parent)
LIMITS = Limits(seconds=1.5, memory=300 * 2**20, output=2**20, file=2**20, grace=0.3)
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def outcomes(*names: str, limits: Limits = LIMITS, **options: Any) -> list[Outcome]:
    jobs = [Job(f"misbehaving:{name}", {}) for name in names]
    found = dict(Children(limits, path=[HERE], **options).run(jobs))
    return [found[index] for index in range(len(jobs))]


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        ("hang", "time", "it ran for more than 1.5 s, and was stopped"),
        ("ignore_sigterm", "time", "it ran for more than 1.5 s, did not heed SIGTERM, and was killed"),
        ("segfault", "signal", "it died of SIGSEGV"),
        ("abort", "signal", "it died of SIGABRT"),
        ("leave", "exit", "it ended with status 0 and without a result"),
        ("allocate_a_terabyte", "memory", "it asked for more memory than there is"),
        pytest.param("grow", "memory", "it used more than 300 MiB of memory, and was killed", marks=linux),
        ("print_for_ever", "output", "it printed more than 1 MiB, and was killed"),
        ("write_ten_gigabytes", "file", "it wrote a file of more than 1 MiB"),
    ],
)
def test_failure_is_survived_and_named(name: str, kind: str, text: str) -> None:
    failed, after = outcomes(name, "fine")
    assert (failed.kind, failed.text, failed.result) == (kind, text, None)
    assert failed.stage in ("start", "run")
    assert after.kind is None
    assert after.result["got"] == {}


@linux
def test_processes_that_left_their_session_are_ended(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    job = Job("misbehaving:fork_and_leave", {"file": str(file)})
    ((_, outcome),) = Children(LIMITS, path=[HERE]).run([job])
    assert (outcome.kind, outcome.result) == (None, 1)
    assert outcome.left >= 1
    pid = int(file.read_text())
    state = Path(f"/proc/{pid}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize(
    ("source", "kind", "text"),
    [
        ("import a_module_that_is_not_there", "error", "ModuleNotFoundError: No module named"),
        ("print('hello')\n", None, ""),
        ("import sys; sys.exit(3)", "exit", "it called sys.exit(3)"),
        ("import os; os._exit(0)", "exit", "it ended with status 0 and without a result"),
    ],
)
def test_an_import_that_goes_wrong(tmp_path: Path, source: str, kind: str | None, text: str) -> None:
    (tmp_path / "wrong.py").write_text(source)
    job = Job("misbehaving:import_it", {"path": str(tmp_path), "module": "wrong"})
    ((_, outcome),) = Children(LIMITS, path=[HERE]).run([job])
    assert outcome.kind == kind
    assert outcome.text.startswith(text)
    assert outcome.stage == "import"
    if kind is None:
        assert outcome.result == "wrong"
        assert outcome.output == "hello\n"


def test_environment_is_bare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET", "word")
    (outcome,) = outcomes("fine")
    assert outcome.result == {"got": {}, "secret": None, "home": True}
    assert outcome.output == "a word\n"


def test_launcher_stands_before_the_command_and_may_print(tmp_path: Path) -> None:
    launcher = tmp_path / "launch"
    launcher.write_text(f'#!/bin/sh\necho "job queued"\necho "$1" >> {tmp_path}/log\nshift\nexec "$@"\n')
    launcher.chmod(0o755)
    found = outcomes("fine", "segfault", "fine", launcher=[str(launcher), "--gres=gpu:1"])
    assert [one.kind for one in found] == [None, "signal", None]
    assert (tmp_path / "log").read_text() == "--gres=gpu:1\n"


def test_several_children_share_the_jobs(tmp_path: Path) -> None:
    launcher = tmp_path / "launch"
    launcher.write_text(f'#!/bin/sh\necho started >> {tmp_path}/log\nexec "$@"\n')
    launcher.chmod(0o755)
    limits = Limits(seconds=0.5, grace=0.1)
    found = outcomes("hang", "hang", "fine", "fine", limits=limits, count=2, launcher=[str(launcher)])
    assert [one.kind for one in found] == ["time", "time", None, None]
    assert (tmp_path / "log").read_text() == "started\n" * 2


#: A scheduler as clusters have them: it queues for a place, starts elsewhere in an environment of its own, and prints.
SCHEDULER = """\
import fcntl, os, subprocess, sys, time

folder, places = sys.argv[1], int(sys.argv[2])
command = sys.argv[sys.argv.index("--") + 1 :]
print("scheduler: job 17 queued and waiting for resources", flush=True)
held = None
while held is None:
    for number in range(places):
        place = open(f"{folder}/place{number}", "w")
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue
        held = place
        break
    else:
        time.sleep(0.02)
with open(f"{folder}/log", "a") as log:
    log.write(f"{time.monotonic()} begins\\n")
print("scheduler: job 17 has been allocated resources", flush=True)
status = subprocess.call(command, cwd="/", env={"PATH": os.environ["PATH"]}, start_new_session=True)
with open(f"{folder}/log", "a") as log:
    log.write(f"{time.monotonic()} ends\\n")
print("scheduler: job 17 done", flush=True)
sys.exit(status)
"""


def test_a_scheduler_runs_as_many_children_at_once_as_it_has_places(tmp_path: Path) -> None:
    (tmp_path / "scheduler.py").write_text(SCHEDULER)
    launcher = [sys.executable, str(tmp_path / "scheduler.py"), str(tmp_path), "2", "--"]
    job = Job("misbehaving:wait_for_another", {"log": str(tmp_path / "log")})
    children = Children(Limits(seconds=20), launcher, count=4, path=[HERE])
    assert [(one.kind, one.result) for _, one in children.run([job] * 4)] == [(None, True)] * 4
    running, most = 0, 0
    for line in sorted((tmp_path / "log").read_text().splitlines()):
        running += 1 if line.endswith("begins") else -1
        most = max(most, running)
    assert most == 2


@pytest.mark.parametrize(
    "launcher", [["torchrun", "--nproc-per-node", "1"], ["torchrun", "--nproc-per-node=2", "--no-python"]]
)
def test_torchrun_is_a_launcher(launcher: list[str]) -> None:
    program = Path(sys.executable).with_name("torchrun")
    if not program.exists():
        pytest.skip("this torch brings no torchrun")
    (outcome,) = outcomes("fine", launcher=[str(program), *launcher[1:]])
    assert outcome.kind is None, outcome.text
    assert outcome.result["got"] == {}


@pytest.mark.parametrize(
    ("launcher", "text"),
    [
        (["/no/such/launcher"], "`/no/such/launcher` cannot be started: No such file or directory"),
        (
            ["sh", "-c", "echo no such partition >&2; exit 4"],
            "the child process ended (status 4): no such partition",
        ),
    ],
)
def test_launcher_that_fails_is_named_for_each_job(launcher: list[str], text: str) -> None:
    found = outcomes("fine", "fine", launcher=launcher)
    assert [(one.kind, one.text) for one in found] == [("start", text)] * 2


def test_what_cannot_be_imported_at_the_start_is_named() -> None:
    (outcome,) = outcomes("fine", imports=["a_module_that_is_not_there"])
    assert outcome.kind == "start"
    assert "a_module_that_is_not_there cannot be imported" in outcome.text


@linux
def test_nothing_is_left_when_the_caller_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    # Other tests run supervisors beside this one: its own have this in their environment.
    mark = f"of_test_{os.getpid()}_{time.monotonic_ns()}"
    monkeypatch.setenv("INPLACE_LINT_TEST", mark)
    run = Children(Limits(seconds=60), path=[HERE]).run(
        [Job("misbehaving:fine", {}), Job("misbehaving:hang", {})]
    )
    next(iter(run))
    time.sleep(0.3)
    assert _supervisors(mark)
    run.close()
    time.sleep(0.3)
    assert not _supervisors(mark)


def _supervisors(mark: str) -> list[str]:
    """The supervisors that run with this word in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            place = Path("/proc", pid)
            if b"runtime.supervisor" in (place / "cmdline").read_bytes():
                found += [pid] * (mark.encode() in (place / "environ").read_bytes())
    return found
