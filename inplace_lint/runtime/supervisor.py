"""The supervisor process: runs each job on user code in a fork of itself, and kills it when it exceeds its limits.

`python -m inplace_lint.runtime.supervisor` reads jobs from standard input and writes outcomes to standard output, one
JSON object a line; a launcher such as srun or ssh can start it on another machine. It guards against buggy code, not
against malicious code.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import secrets
import selectors
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NoReturn

from ..project.paths import show_from

#: The prefix of each message on standard output, followed by the session's id: a launcher may print there too.
MARK = "inplace-lint "
#: The only environment variables that user code gets: paths and performance settings, no secrets.
KEPT = (
    "PATH HOME USER LOGNAME LANG LANGUAGE TZ PYTHONPATH PYTHONHASHSEED VIRTUAL_ENV CONDA_PREFIX LD_LIBRARY_PATH "
    "DYLD_LIBRARY_PATH LD_PRELOAD SYSTEMROOT"
).split()
KEPT_PREFIXES = (
    "LC_",
    "CUDA_",
    "NVIDIA_",
    "OMP_",
    "MKL_",
    "OPENBLAS_",
    "TORCH",
    "PYTORCH_",
    "XDG_",
    "TRITON_",
)
_TAIL = 4000
_TICK = 0.05
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36


def main() -> int:
    """Runs jobs from standard input until it ends."""
    if os.environ.get("RANK", "0") != "0":
        return 0  # a launcher such as torchrun started several processes: only the first serves
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # accidental prints must not reach the message stream
    source = _Lines(0)
    first = source.next(None)
    if first is None:
        return 0
    setup = json.loads(first)

    def say(message: dict[str, Any]) -> None:
        out.write(f"{MARK}{setup['session']} {json.dumps(message)}\n")
        out.flush()

    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    with contextlib.suppress(OSError):
        os.chdir(setup["directory"])
    sys.path[:] = [*setup["path"], *(one for one in sys.path if one not in setup["path"])]
    try:
        for name in setup["imports"]:
            import_module(name)
    except BaseException as error:
        say({"ready": False, "reason": f"{name} cannot be imported: {error}"})
        return 1
    say({"ready": True})
    while (line := source.next(None)) is not None:
        outcome = Job(json.loads(line), setup["limits"], say).run(source)
        if outcome is None:
            break
        say(outcome)
    return 0


class Job:
    """One call of a function of this package on user code, in a forked process."""

    def __init__(
        self, request: dict[str, Any], limits: dict[str, float], say: Callable[[dict[str, Any]], None]
    ) -> None:
        self._request = request
        self._say = say
        self._limits = limits
        self._nonce = secrets.token_hex(8)
        self._stage = "start"
        self._result: Any = None
        self._known: Any = None
        self._has_result = False
        self._error: dict[str, Any] | None = None
        self._printed = 0
        self._tail = b""

    def run(self, source: _Lines) -> dict[str, Any] | None:
        """Runs the job and returns its outcome; None if the requesting process is gone."""
        folder = tempfile.mkdtemp(prefix="inplace-lint-")
        results, results_in = os.pipe()
        output, output_in = os.pipe()
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            os.close(results)
            os.close(output)
            _become_child(self._request, self._limits, folder, results_in, output_in, self._nonce)
        os.close(results_in)
        os.close(output_in)
        try:
            failure, gone = self._watch(pid, results, output, began, source)
        finally:
            left = _end_all()
            os.close(results)
            os.close(output)
            shutil.rmtree(folder, ignore_errors=True)
        if gone:
            return None
        return {
            "id": self._request["id"],
            "stage": self._stage,
            "result": self._result if failure is None else None,
            "known": self._known,
            "failure": failure,
            "output": self._tail.decode("utf-8", "replace"),
            "left": left,
            "seconds": round(time.monotonic() - began, 3),
        }

    def _watch(
        self, pid: int, results: int, output: int, began: float, source: _Lines
    ) -> tuple[dict[str, str] | None, bool]:
        """Waits for the job to end; returns its failure, if any, and whether the requesting process is gone."""
        limits = self._limits
        buffer = b""
        with selectors.DefaultSelector() as selector:
            for one in (results, output, source.descriptor):
                os.set_blocking(one, False)
                selector.register(one, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select(_TICK):
                    if key.fd == source.descriptor:
                        if not source.fill():
                            return None, True
                        continue
                    chunk = _read(key.fd)
                    if not chunk:
                        if chunk == b"":
                            selector.unregister(key.fd)
                    elif key.fd == output:
                        self._printed += len(chunk)
                        self._tail = (self._tail + chunk)[-_TAIL:]
                    else:
                        *lines, buffer = (buffer + chunk).split(b"\n")
                        for line in lines:
                            self._take(line)
                if self._printed > limits["output"]:
                    return _failure(
                        "output", f"it printed more than {_size(limits['output'])}, and was killed"
                    ), False
                used = _memory(pid)
                if used > limits["memory"]:
                    return _failure(
                        "memory", f"it used more than {_size(limits['memory'])} of memory, and was killed"
                    ), False
                done, status = os.waitpid(pid, os.WNOHANG)
                if done:
                    while chunk := _read(results):
                        buffer += chunk
                    for line in buffer.split(b"\n"):
                        self._take(line)
                    self._tail = (self._tail + (_read(output) or b""))[-_TAIL:]
                    return self._verdict(status), False
                if self._has_result:
                    return None, False
                if time.monotonic() - began > limits["seconds"]:
                    return self._stop(pid), False

    def _take(self, line: bytes) -> None:
        head, _, rest = line.partition(b" ")
        if head.decode("ascii", "replace") != self._nonce:
            return
        message = json.loads(rest)
        if "stage" in message:
            self._stage = message["stage"]
            self._known = message["known"] or self._known
            self._say({"id": self._request["id"], "now": self._stage})
        elif "error" in message:
            self._error = message["error"]
        else:
            self._result, self._has_result = message["result"], True

    def _verdict(self, status: int) -> dict[str, str] | None:
        """Returns the failure that a process's exit status and messages show; None if it sent a result."""
        if self._has_result:
            return None
        if self._error is not None:
            return {"kind": self._error["kind"], "text": self._error["text"]}
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number in signal.valid_signals() else f"signal {number}"
            if number == getattr(signal, "SIGXFSZ", 0):
                return _failure("file", f"it wrote a file of more than {_size(self._limits['file'])}")
            more = ", perhaps for want of memory" if number == signal.SIGKILL else ""
            return _failure("signal", f"it died of {name}{more}")
        return _failure(
            "exit", f"it ended with status {os.waitstatus_to_exitcode(status)} and without a result"
        )

    def _stop(self, pid: int) -> dict[str, str]:
        """Ends a process whose time is up: by SIGTERM, then by SIGKILL; returns the failure."""
        text = f"it ran for more than {self._limits['seconds']:g} s"
        _signal_group(pid, signal.SIGTERM)
        until = time.monotonic() + self._limits.get("grace", 0.5)
        while time.monotonic() < until:
            if os.waitpid(pid, os.WNOHANG)[0]:
                return _failure("time", f"{text}, and was stopped")
            time.sleep(0.01)
        _signal_group(pid, signal.SIGKILL)
        return _failure("time", f"{text}, did not heed SIGTERM, and was killed")


class _Lines:
    """Reads lines from a descriptor, blocking or not."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._buffer = b""
        self._ended = False

    def next(self, _: None) -> str | None:
        """Waits for the next line and returns it; None at the end."""
        while b"\n" not in self._buffer:
            if self._ended:
                return None
            os.set_blocking(self.descriptor, True)
            self.fill()
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode("utf-8")

    def fill(self) -> bool:
        """Reads what is available; False at the end of the input."""
        chunk = _read(self.descriptor)
        if chunk == b"":
            self._ended = True
            return False
        self._buffer += chunk or b""
        return True


# -- inside of the child


def _become_child(
    request: dict[str, Any], limits: dict[str, float], folder: str, results: int, output: int, nonce: str
) -> NoReturn:
    """Runs in the fork: applies the limits, calls the function, reports its result or error, and exits."""

    def send(message: dict[str, Any]) -> None:
        data = f"\n{nonce} {json.dumps(message)}\n".encode()
        while data:
            data = data[os.write(results, data) :]

    try:
        _shut_in(limits, folder, output)
        if not request["here"]:
            _go_to(folder)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        module, _, name = request["function"].partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)

        def stage(name: str, known: Any = None) -> None:
            send({"stage": name, "known": known})

        result = function(request["arguments"], stage)
        _flush()
        send({"result": result})
        os._exit(0)
    except BaseException as error:
        _flush()
        with contextlib.suppress(BaseException):
            kind, text = describe(error, limits["file"])
            send({"error": {"kind": kind, "text": text}})
        os._exit(1)


def _go_to(folder: str) -> None:
    """Works in this directory from now on, and spells paths as before."""
    here = os.getcwd()
    sys.path[:] = [os.path.join(here, one) for one in sys.path]
    show_from(here)
    os.chdir(folder)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def describe(error: BaseException, file_limit: float = 0.0) -> tuple[str, str]:
    """Returns the kind of failure that an exception of user code means, and a sentence about it."""
    first = (str(error).strip().splitlines() or [""])[0]
    if isinstance(error, SystemExit):
        return "exit", f"it called sys.exit({error.code!r})"
    if isinstance(error, MemoryError) or "not enough memory" in first or "out of memory" in first:
        return "memory", "it asked for more memory than there is"
    if isinstance(error, OSError) and error.errno == errno.EFBIG:
        limit = f" of more than {_size(file_limit)}" if file_limit else ", larger than allowed"
        return "file", f"it wrote a file{limit}"
    return "error", f"{type(error).__name__}: {first}" if first else type(error).__name__


def _shut_in(limits: dict[str, float], folder: str, output: int) -> None:
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, the kernel kills this process first
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        size = int(limits["file"])
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for name in list(os.environ):
        if name not in KEPT and not name.startswith(KEPT_PREFIXES):
            del os.environ[name]
    os.environ["TMPDIR"] = tempfile.tempdir = folder


# -- processes


def _end_all() -> int:
    """Kills all descendants of this process, also those in other sessions; returns how many it has reaped."""
    count = 0
    until = time.monotonic() + 5
    while time.monotonic() < until:
        below = _descendants(os.getpid())
        for pid in below:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                count += 1
        except ChildProcessError:
            break
        time.sleep(0.005)
    return count


def _descendants(pid: int) -> list[int]:
    """Returns the descendants of a process; none without /proc."""
    parents: dict[int, list[int]] = {}
    for child, parent in _processes():
        parents.setdefault(parent, []).append(child)
    found: list[int] = []
    todo = [pid]
    while todo:
        children = parents.get(todo.pop(), [])
        found += children
        todo += children
    return found


def _processes() -> Iterator[tuple[int, int]]:
    """Yields each process with its parent; nothing without /proc, where only the process group can be signalled."""
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            with (
                contextlib.suppress(OSError, ValueError, IndexError),
                open(f"/proc/{name}/stat", "rb") as file,
            ):
                # The program's name is in parentheses and may contain any character.
                yield int(name), int(file.read().rpartition(b")")[2].split()[1])


def _memory(pid: int) -> int:
    """Returns the resident bytes of a process and its descendants, without pages shared with files."""
    total = 0
    for one in (pid, *_descendants(pid)):
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{one}/statm", "rb") as file:
            fields = file.read().split()
            total += (int(fields[1]) - int(fields[2])) * _PAGE  # without what is shared with files
    return total


_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def _signal_group(pid: int, number: int) -> None:
    # Until the child has called setsid it has no process group of its own.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def _prctl(option: int, value: int) -> None:
    """Calls Linux's prctl; does nothing on other systems."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(option, int(value), 0, 0, 0)


def _read(descriptor: int) -> bytes | None:
    """Reads what is available; empty at the end, None if there is nothing yet."""
    try:
        return os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return None


def _failure(kind: str, text: str) -> dict[str, str]:
    return {"kind": kind, "text": text}


def _size(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if count < 1024:
            return f"{count:g} {unit}"
        count /= 1024
    return f"{count:.3g} GiB"


if __name__ == "__main__":
    sys.exit(main())
