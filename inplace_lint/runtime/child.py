"""Runs jobs on user code in child processes, here or wherever a launcher puts them, several at once."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import secrets
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .supervisor import MARK

#: Modules that a child imports before its first job: the import takes seconds, which no job's limit should pay for.
READY = ("torch", "inplace_lint.runtime.blocks", "inplace_lint.runtime.rewrites")


@dataclass(frozen=True, slots=True)
class Limits:
    """A job's limits: seconds, bytes of memory, of output and of one file; `grace`: seconds from SIGTERM to SIGKILL."""

    seconds: float = 60.0
    memory: float = 8 * 2**30
    output: float = 4 * 2**20
    file: float = 256 * 2**20
    grace: float = 0.5


@dataclass(frozen=True, slots=True)
class Job:
    """A function of this package, as `module:name`, and its arguments. It is called with them and a stage callback.

    It works in an empty directory, so that user code overwrites nothing by a relative name; with `here`, in the
    user's, for what names files there.
    """

    function: str
    arguments: dict[str, Any]
    here: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a job: its `result`, or the `kind` of failure with a sentence `text`.

    `stage` is the last stage that the job reported, `output` the tail of what user code printed, `left` the number of
    processes that it left running and that were killed, `known` its last partial result before a failure.
    """

    result: Any = None
    kind: str | None = None
    text: str = ""
    stage: str = ""
    output: str = ""
    left: int = 0
    known: Any = None


class Children:
    """A pool of child processes that run jobs. `launcher` is a prefix of the child's command, such as `ssh host`.

    `on_stage` is called with each stage that a job reports, in the thread that serves its child.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        launcher: Sequence[str] = (),
        count: int = 1,
        imports: Sequence[str] = (),
        path: Sequence[str] = (),
        start_seconds: float = 120.0,
        on_stage: Callable[[str], None] = lambda stage: None,
    ) -> None:
        self.limits = limits or Limits()
        self._launcher = tuple(launcher)
        self._count = count
        self._setup = {
            "directory": os.getcwd(),
            "path": list(path),
            "imports": list(imports),
            "limits": asdict(self.limits),
        }
        self._start_seconds = start_seconds
        self._on_stage = on_stage

    def run(
        self, jobs: Sequence[Job], then: Callable[[int, Outcome], Job | None] = lambda index, outcome: None
    ) -> Iterator[tuple[int, Outcome]]:
        """Yields the index and the outcome of each job, in the order in which the jobs end.

        `then` may return another job for the index of one that has ended. That one runs next in a process of its own,
        and its outcome is yielded too. It is called in the thread that serves the child.
        """
        waiting: queue.SimpleQueue[tuple[int, Job]] = queue.SimpleQueue()
        for pair in enumerate(jobs):
            waiting.put(pair)
        done: queue.SimpleQueue[tuple[int, Outcome, bool]] = queue.SimpleQueue()
        stop = threading.Event()
        workers = [
            threading.Thread(target=self._work, args=(waiting, done, stop, then), daemon=True)
            for _ in range(min(self._count, len(jobs)))
        ]
        for worker in workers:
            worker.start()
        try:
            left = len(jobs)
            while left:
                index, outcome, is_last = done.get()
                left -= is_last
                yield index, outcome
        finally:
            stop.set()
            for worker in workers:
                worker.join(5)

    def _work(
        self,
        waiting: queue.SimpleQueue[tuple[int, Job]],
        done: queue.SimpleQueue[tuple[int, Outcome, bool]],
        stop: threading.Event,
        then: Callable[[int, Outcome], Job | None],
    ) -> None:
        child: _Child | None = None
        more: Job | None = None
        index = 0
        try:
            while not stop.is_set():
                try:
                    index, job = (index, more) if more is not None else waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    if child is None:
                        child = _Child(self._launcher, self._setup, self._start_seconds, stop)
                    # The supervisor enforces the limit itself: give it 30 s more to do so and to answer.
                    outcome = child.run(
                        index, job, self.limits.seconds + self.limits.grace + 30, self._on_stage
                    )
                except _Lost as error:
                    if child is not None:
                        child.close()
                    child = None
                    outcome = Outcome(kind="start", text=str(error), stage="start")
                except Exception as error:  # an outcome must come for each job, or `run` would wait for ever
                    outcome = Outcome(kind="start", text=f"{type(error).__name__}: {error}", stage="start")
                more = then(index, outcome)
                done.put((index, outcome, more is None))
        finally:
            if child is not None:
                child.close()


class _Lost(Exception):
    """The supervisor could not be started or is gone; the text says why."""


class _Child:
    """A running supervisor."""

    def __init__(
        self, launcher: tuple[str, ...], setup: dict[str, Any], seconds: float, stop: threading.Event
    ) -> None:
        self._stop = stop
        self._session = secrets.token_hex(8)
        self._buffer = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # `close` closes it
        package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        known = os.environ.get("PYTHONPATH", "")
        path = f"{package}{os.pathsep}{known}" if known else package
        command = [sys.executable, "-m", "inplace_lint.runtime.supervisor"]
        if launcher:
            # Not every launcher passes the environment on.
            command = [*_taking_any(launcher), "env", f"PYTHONPATH={path}", *command]
        environment = {**os.environ, "PYTHONPATH": path}
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise _Lost(f"`{command[0]}` cannot be started: {error.strerror}") from error
        try:
            self._send({**setup, "session": self._session})
            ready = self._receive(seconds, "starting a child process")
            if not ready.get("ready"):
                raise _Lost(f"the child process is of no use: {ready.get('reason')}")
        except _Lost:
            self.close()
            raise

    def run(self, index: int, job: Job, seconds: float, on_stage: Callable[[str], None]) -> Outcome:
        """Runs one job and returns its outcome. Raises _Lost."""
        self._send({"id": index, **asdict(job)})
        until = time.monotonic() + seconds
        while "now" in (answer := self._receive(seconds, "a job", until)):
            on_stage(answer["now"])
        failure = answer["failure"] or {"kind": None, "text": ""}
        return Outcome(
            answer["result"],
            failure["kind"],
            failure["text"],
            answer["stage"],
            answer["output"],
            answer["left"],
            answer["known"],
        )

    def close(self) -> None:
        """Ends the supervisor, which kills the job that it runs."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, 9)
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._errors.close()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{json.dumps(message)}\n".encode())
            self._process.stdin.flush()
        except OSError as error:
            raise _Lost(self._end()) from error

    def _receive(self, seconds: float, what: str, until: float | None = None) -> dict[str, Any]:
        """Returns the supervisor's next message, skipping lines that the launcher prints. Raises _Lost."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        head = f"{MARK}{self._session} ".encode()
        until = until or time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while True:
                line, newline, rest = self._buffer.partition(b"\n")
                if newline:
                    self._buffer = rest
                    if line.startswith(head):
                        message: dict[str, Any] = json.loads(line[len(head) :])
                        return message
                    continue
                if self._stop.is_set():
                    raise _Lost("the run was ended")
                if time.monotonic() > until:
                    raise _Lost(f"{what} took more than {seconds:g} s")
                if not selector.select(0.2):
                    continue
                chunk = os.read(descriptor, 1 << 16)
                if not chunk:
                    raise _Lost(self._end())
                self._buffer += chunk

    def _end(self) -> str:
        """Returns a sentence on why the supervisor ended: its exit status and the last line of its standard error."""
        try:
            status: object = self._process.wait(2)
        except subprocess.TimeoutExpired:
            status = "none yet"
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").splitlines()
        lines = [line.strip() for line in lines if any(map(str.isalpha, line))]
        last = f": {lines[-1]}" if lines else ""
        return f"the child process ended (status {status}){last}"


def _taking_any(launcher: tuple[str, ...]) -> tuple[str, ...]:
    """Adds `--no-python` to a torchrun launcher, which would otherwise take the command for a Python script."""
    runs_scripts = any(
        os.path.basename(word) == "torchrun" or word == "torch.distributed.run" for word in launcher
    )
    return (*launcher, "--no-python") if runs_scripts and "--no-python" not in launcher else launcher
