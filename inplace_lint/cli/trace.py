"""The verb `trace`: runs a program under the version tracer, otherwise as Python would."""

from __future__ import annotations

import os
import sys

from ..report import FORMATS, render
from .options import Flag, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

VERB = Verb(
    "trace",
    "[OPTIONS] SCRIPT [ARGS...] | -m MODULE [ARGS...]",
    "Run a program and report, before each backward runs, which saved tensors were changed in place, where they\n"
    "were saved and where they were written. This runs your code, in this process. The program's output and exit\n"
    "status stay its own; findings go to standard error.",
    (
        Flag("--no-checksums", "watch version counters alone: cheaper, but changes past them go unseen"),
        Flag("--output-format", "how to report", "FORMAT", choices=FORMATS),
        Flag("--output-file", "write the report there when the program ends, not to standard error", "FILE"),
    ),
)


def run(argv: Sequence[str]) -> int:
    """Runs the program that a command line names and returns its exit status. Raises UsageError."""
    own, target, arguments = _split(argv)
    if "--help" in own or "-h" in own:
        print(VERB.help())
        return 0
    values, _ = VERB.parse([word for word in own if word != "-m"])
    if target is None:
        raise UsageError(
            "trace needs a program: inplace-lint trace train.py, or inplace-lint trace -m package"
        )
    is_module = own[-1:] == ["-m"]
    if not is_module and not os.path.exists(target):
        raise UsageError(f"there is no file {target}")
    from ..runtime import TorchMissing, require_torch

    try:
        require_torch()
    except TorchMissing as error:
        raise UsageError(f"trace: {error}") from error
    from ..runtime.program import run_program
    from ..runtime.tracer import Trace, announce
    from .check import _has_colour

    file, form = values.get("output-file"), values.get("output-format")
    at_once = file is None and form in (None, "full")
    stream = _opened(file) if file is not None else sys.stderr
    tracer = Trace(
        checksums="no-checksums" not in values,
        on_hazard=(lambda hazard: announce(hazard, _has_colour(sys.stderr))) if at_once else None,
    )
    status = run_program(target, is_module, arguments, tracer)
    found = tracer.diagnostics
    if not at_once:
        stream.write(render(form or "full", found, lambda filename: os.getcwd()))
    if file is not None:
        stream.close()
    sys.stdout.flush()
    count = f"{len(found)} hazard{'s' if len(found) != 1 else ''}" if found else "no hazards"
    print(f"inplace-lint: {count} in {target}.", file=sys.stderr)
    return status


def _split(argv: Sequence[str]) -> tuple[list[str], str | None, list[str]]:
    """Our own words (`-m` as the last one if it was given), the program, and the program's words."""
    takes_value = {flag.name for flag in VERB.flags if flag.metavar}
    index = 0
    while index < len(argv):
        word = argv[index]
        if word == "-m":
            target = argv[index + 1] if index + 1 < len(argv) else None
            return list(argv[: index + 1]), target, list(argv[index + 2 :])
        if word == "--":
            index += 1
            target = argv[index] if index < len(argv) else None
            return list(argv[: index - 1]), target, list(argv[index + 1 :])
        if not word.startswith("-"):
            return list(argv[:index]), word, list(argv[index + 1 :])
        index += 2 if word in takes_value else 1
    return list(argv), None, []


def _opened(file: str) -> TextIO:
    try:
        return open(file, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"--output-file: {file} cannot be written: {error.strerror}") from error
