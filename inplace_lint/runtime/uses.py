"""The capture file: the arguments that each class was given in a run, and the child process that records them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from .problems import InputError

FILE = "inplace-lint-capture.json"
#: The most different calls that are kept of one class.
KEPT = 3

Uses = dict[str, list[dict[str, Any]]]


def read(filename: str) -> Uses:
    """Reads the uses of a capture file, by class. Raises InputError."""
    try:
        with open(filename, encoding="utf-8") as file:
            found = json.load(file)
        classes = found["classes"]
        if found["version"] != 1 or not all(isinstance(one, list) for one in classes.values()):
            raise ValueError
    except OSError as error:
        raise InputError(f"{filename} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InputError(f"{filename} is no capture file: `inplace-lint capture` writes one") from None
    return dict(classes)


def write(filename: str, uses: Mapping[str, list[dict[str, Any]]]) -> None:
    """Writes a capture file; entries of an existing one for other classes are kept. Raises InputError."""
    merged = dict(uses)
    if os.path.isfile(filename):
        try:
            merged = {**read(filename), **merged}
        except InputError as error:
            print(f"inplace-lint: {error}; it is written anew", file=sys.stderr)
    try:
        with open(filename, "w", encoding="utf-8") as file:
            file.write(json.dumps({"version": 1, "classes": merged}, indent=1) + "\n")
    except OSError as error:
        raise InputError(f"{filename} cannot be written: {error.strerror}") from error


def record(program: Sequence[str], as_module: bool) -> tuple[int, Uses, str]:
    """Runs a program in a child process that inherits input and output; returns its exit status and its uses.

    The third item says which signal ended it, if one did. Uses recorded until then are returned all the same.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    start = f"import sys; sys.path.append({package!r}); from inplace_lint.runtime.inputs.capture import main; main()"
    with tempfile.TemporaryDirectory(prefix="inplace-lint-") as folder:
        seen = os.path.join(folder, "uses")
        open(seen, "wb").close()
        command = [sys.executable, "-c", start, seen, "-m" if as_module else "-", *program]
        process = subprocess.Popen(command)
        try:
            status = process.wait()
        except KeyboardInterrupt:
            # The program got the same signal, and may need time to clean up.
            try:
                status = process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
        with open(seen, encoding="utf-8") as file:
            uses = _gathered(file)
    if status >= 0:
        return status, uses, ""
    name = signal.Signals(-status).name if -status in signal.valid_signals() else f"signal {-status}"
    return 128 - status, uses, f"the program died of {name}"


def _gathered(lines: Any) -> Uses:
    uses: Uses = {}
    for line in lines:
        try:
            name, use = json.loads(line)
        except ValueError:  # the program was killed while it wrote
            break
        uses.setdefault(name, []).append(use)
    return uses
