"""The verb `trace`: runs a program under the version tracer, otherwise as Python would."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ..report import FORMATS, render
from ..report.findings import Findings
from . import output
from .cells import need_file
from .options import UsageError, Verb, choice, flag
from .selection import add_colour

if TYPE_CHECKING:
    from argparse import Namespace

    from .options import Parser


def _options(parser: Parser) -> None:
    flag(parser, "--no-checksums", "watch version counters alone: cheaper, but changes past them go unseen")
    parser.add_argument("--output-format", metavar="FORMAT", help="one of %(choices)s", **choice(*FORMATS))
    parser.add_argument(
        "--output-file",
        metavar="FILE",
        help="write the report there when the program ends, not to standard error",
    )
    add_colour(parser)


def run(options: Namespace) -> int:
    """Runs the program that a command line names and returns its exit status. Raises UsageError."""
    if not options.program:
        raise UsageError(
            "trace needs a program: inplace-lint trace train.py, or inplace-lint trace -m package"
        )
    target, *arguments = options.program
    if not options.is_module and not os.path.exists(target):
        raise UsageError(f"there is no file {target}")
    if not options.is_module:
        need_file("trace", target)
    from ..runtime import TorchMissing, require_torch

    try:
        require_torch()
    except TorchMissing as error:
        raise UsageError(f"trace: {error}") from error
    from ..runtime.program import run_program
    from ..runtime.tracer import Trace, announce

    file, form = options.output_file, options.output_format
    at_once = file is None and form in (None, "full")
    stream = output.opened(file) if file is not None else sys.stderr
    tracer = Trace(
        checksums=not options.no_checksums,
        on_hazard=(lambda hazard: announce(hazard, output.has_colour(sys.stderr, options.color)))
        if at_once
        else None,
    )
    started = _children()
    status = run_program(target, options.is_module, arguments, tracer)
    found = tracer.diagnostics
    if not at_once:
        stream.write(render(form or "full", Findings(found, files=[target])))
    if file is not None:
        stream.close()
    sys.stdout.flush()
    count = f"{len(found)} hazard{'s' if len(found) != 1 else ''}" if found else "no hazards"
    unseen = [] if tracer.has_run_backward else ["no backward ran in its process"]
    unseen += ["the processes that it started were not watched"] if _children() > started else []
    more = f": {', and '.join(unseen)}" if unseen and not found else ""
    print(f"inplace-lint: {count} in {target}{more}.", file=sys.stderr)
    return status


def _children() -> float:
    """Returns the processor seconds of child processes that have ended; 0 on systems that do not count them."""
    used = os.times()
    return used.children_user + used.children_system


VERB = Verb(
    "[OPTIONS] SCRIPT [ARGS...] | -m MODULE [ARGS...]",
    "Run a program and report, before each backward runs, which saved tensors were changed in place, where they\n"
    "were saved and where they were written. This runs your code, in this process. The program's output and exit\n"
    "status stay its own; findings go to standard error.",
    run,
    _options,
    program=True,
)
