"""The verb `confirm`: checks, then runs what was found and says whether it really happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine.edits import show_edits
from ..engine.processes import default_jobs
from ..project.discovery import discover
from ..report import FORMATS
from ..report.findings import CLEARED
from . import CLEAN, FOUND, WRONG, complain, proving
from .cells import need_file
from .checked import caches_for, check_files
from .options import UsageError, Verb, number
from .selection import add_configuration, add_report, add_selection, complete, configuration
from .verdicts import Report, summarise

if TYPE_CHECKING:
    import signal
    from argparse import Namespace
    from collections.abc import Sequence

    from ..model import Diagnostic
    from ..project.discovery import Target
    from .options import Parser


def _options(parser: Parser) -> None:
    runs = parser.add_argument_group("How code is run")
    runs.add_argument(
        "--launcher",
        metavar="COMMAND",
        help='put this before the command of each child: "srun --gres=gpu:1", "ssh host"',
    )
    runs.add_argument(
        "--device", metavar="DEVICE", help="where to run blocks: cpu, cuda, cuda:1; a GPU if there is one"
    )
    runs.add_argument(
        "--jobs", metavar="N", type=number, default=1, help="how many children to run at once [1]"
    )
    runs.add_argument(
        "--timeout", metavar="SECONDS", type=number, default=60, help="seconds that one block may take [60]"
    )
    runs.add_argument(
        "--memory", metavar="GIB", type=number, default=8, help="GiB of memory that one block may use [8]"
    )
    runs.add_argument(
        "--capture",
        metavar="FILE",
        help="inputs that `inplace-lint capture` recorded; inplace-lint-capture.json if it is there",
    )
    add_selection(parser)
    add_report(parser)
    add_configuration(parser)


def run(options: Namespace) -> int:
    """Checks and confirms the paths and returns the exit code. Raises UsageError.

    What is known when the run is cut short, by Ctrl-C or by a signal to end, is reported all the same.
    """
    if "-" in options.arguments:
        raise UsageError("confirm runs files: standard input cannot be run")
    for path in options.arguments:
        need_file("confirm", path)
    launcher = proving.launcher(options.launcher)
    _device(options.device or "cpu")
    # Elsewhere there may be another environment; the child says what is missing there.
    proving.need_children("confirm", elsewhere=bool(launcher))
    settings = configuration(options)
    complete(options, settings)
    targets, errors = discover(options.arguments or ["."], settings)
    for one in errors:
        complain(str(one))
    targets = _without_notebooks(targets)
    caches = caches_for(options)
    findings, _ = check_files(targets, default_jobs(len(targets)), options, caches)
    form = options.output_format
    # What is said of memory is decided by what the fix makes of it.
    shown = [one for one in findings if FORMATS[form].edits or one.code.startswith("IPL4")]
    show_edits(targets, shown, {}, caches=caches)
    report = Report(form, findings, targets, options.output_file, options.color)
    ended = _run(report, findings, targets, launcher, options)
    report.finish(ended.name if ended else "")
    if not options.quiet:
        summarise(findings, report.verdicts, len(targets), ended.name if ended else "")
    if ended:
        return 128 + ended.value
    if errors:
        return WRONG
    stands = [
        one
        for index, one in enumerate(findings)
        if one.severity != "note" and report.verdicts.get(index, {}).get("status") not in CLEARED
    ]
    return FOUND if stands else CLEAN


def _without_notebooks(targets: Sequence[Target]) -> list[Target]:
    """The files that can be run, and a word about the others."""
    files = [target for target in targets if not target.filename.endswith(".ipynb")]
    if left := len(targets) - len(files):
        complain(f"confirm runs Python files: {left} notebook{'s' * (left != 1)} left out")
    return files


def _device(name: str) -> None:
    """Raises UsageError where what is named is no device that blocks are run on."""
    kind, colon, number = name.partition(":")
    if kind not in ("cpu", "cuda") or bool(colon) != number.isdecimal() or (kind == "cpu" and colon):
        raise UsageError(f"--device is cpu, cuda or cuda:1, not `{name}`")


def _run(
    report: Report,
    findings: Sequence[Diagnostic],
    targets: Sequence[Target],
    launcher: list[str],
    options: Namespace,
) -> signal.Signals | None:
    """Runs the blocks of the findings and hands each verdict to the report; the signal that cut this short, if any."""
    import signal

    from ..project import Project
    from ..runtime.child import READY, Children, Limits
    from ..runtime.confirm import confirm

    def end(*_: Any) -> None:
        raise _Ended

    factories, captured = proving.factories(targets), proving.captured(options.capture)
    limits = Limits(seconds=float(options.timeout), memory=options.memory * 2.0**30)
    children = Children(limits, launcher, options.jobs, imports=READY, on_stage=report.at)
    projects = {target.filename: Project.of(target.settings) for target in targets}
    before = signal.signal(signal.SIGTERM, end)
    try:
        for index, verdict in confirm(findings, children, projects, factories, captured, options.device):
            report.add(index, verdict)
    except KeyboardInterrupt:
        return signal.SIGINT
    except _Ended:
        return signal.SIGTERM
    finally:
        signal.signal(signal.SIGTERM, before)
    return None


class _Ended(BaseException):
    """Somebody asked this process to end."""


VERB = Verb(
    "[PATHS...] [OPTIONS]",
    "Check files, then run the code around each finding in a child process: is it confirmed, refuted (on these\n"
    "inputs), spurious (PyTorch raises though no saved byte was written) or inconclusive? The exit code is 0 if all\n"
    "are refuted or notes, else 1. This runs your code: the block, and what in its file reaches it without arguments,\n"
    "such as main() or a test. The child process has limits, which guard against code with bugs, not against code\n"
    "that means harm.",
    run,
    _options,
)
