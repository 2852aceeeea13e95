"""The verb `confirm`: checks, then runs what was found and says whether it really happens."""

from __future__ import annotations

from ..project.discovery import discover
from . import CLEAN, FOUND, WRONG, check, complain, fixing, pipeline, proving
from .options import Flag, UsageError, Verb
from .verdicts import CLEARED, FORMS, Report, summarise

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Sequence
    from typing import Any

    from ..model import Diagnostic
    from ..project.discovery import Target

#: Options that mean here what they mean in `check`.
_SHARED = (
    "--select --ignore --extend-select --min-confidence --notes --config --isolated --force-exclude".split()
)

VERB = Verb(
    "confirm",
    "[PATHS...] [OPTIONS]",
    "Check files, then run the code around each finding in a child process: is it confirmed, refuted (on these\n"
    "inputs), spurious (PyTorch raises though no saved byte was written) or inconclusive? This runs your code: the\n"
    "block, and what in its file reaches it without arguments, such as main() or a test. The child process has\n"
    "limits, which guard against code with bugs, not against code that means harm.",
    (
        Flag(
            "--launcher",
            'put this before the command of each child: "srun --gres=gpu:1", "ssh host"',
            "COMMAND",
        ),
        Flag("--device", "where to run blocks on: cpu, cuda, cuda:1; a GPU if there is one", "DEVICE"),
        Flag("--jobs", "how many children to run at once [1]", "N", number=True),
        Flag("--timeout", "seconds that one block may take [60]", "SECONDS", number=True),
        Flag("--memory", "GiB of memory that one block may use [8]", "GIB", number=True),
        Flag(
            "--capture",
            "inputs that `inplace-lint capture` recorded; inplace-lint-capture.json if it is there",
            "FILE",
        ),
        Flag("--output-format", "how to report", "FORMAT", choices=FORMS),
        Flag("--output-file", "write the report there, not to standard output", "FILE"),
        *(flag for flag in check.VERB.flags if flag.name in _SHARED),
    ),
)


def run(paths: list[str], values: dict[str, Any]) -> int:
    """Checks and confirms the paths and returns the exit code. Raises UsageError.

    What is known when the run is cut short, by Ctrl-C or by a signal to end, is reported all the same.
    """
    if "-" in paths:
        raise UsageError("confirm runs files: standard input cannot be run")
    launcher = proving.launcher(values)
    _device(values)
    # Elsewhere there may be another environment; the child says what is missing there.
    proving.need_children("confirm", elsewhere=bool(launcher))
    targets, errors = discover(paths or ["."], check._configuration(values))
    for one in errors:
        complain(str(one))
    findings = check._check_files(targets, pipeline.default_jobs(len(targets)))
    # What is said of memory is decided by what the fix makes of it.
    fixing.show_edits(targets, [one for one in findings if one.code.startswith("IPL4")], {})
    report = Report(values.get("output-format", "full"), findings, targets, values.get("output-file"))
    ended = _run(report, findings, targets, launcher, values)
    report.finish()
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


def _device(values: dict[str, Any]) -> None:
    """Raises UsageError where what is named is no device that blocks are run on."""
    kind, colon, number = values.get("device", "cpu").partition(":")
    if kind not in ("cpu", "cuda") or bool(colon) != number.isdecimal() or (kind == "cpu" and colon):
        raise UsageError(f"--device is cpu, cuda or cuda:1, not `{values['device']}`")


def _run(
    report: Report,
    findings: Sequence[Diagnostic],
    targets: Sequence[Target],
    launcher: list[str],
    values: dict[str, Any],
) -> signal.Signals | None:
    """Runs the blocks of the findings and hands each verdict to the report; the signal that cut this short, if any."""
    import signal

    from ..project import Project
    from ..runtime.child import READY, Children, Limits
    from ..runtime.confirm import confirm

    def end(*_: Any) -> None:
        raise _Ended

    factories, captured = proving.factories(targets), proving.captured(values.get("capture"))
    limits = Limits(seconds=float(values.get("timeout", 60)), memory=values.get("memory", 8) * 2.0**30)
    children = Children(limits, launcher, values.get("jobs", 1), imports=READY, on_stage=report.at)
    projects = {target.filename: Project(target.settings.root, target.settings.src) for target in targets}
    before = signal.signal(signal.SIGTERM, end)
    try:
        device = values.get("device")
        for index, verdict in confirm(findings, children, projects, factories, captured, device):
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
