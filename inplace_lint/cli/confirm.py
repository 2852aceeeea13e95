"""The verb `confirm`: checks, then runs what was found and says whether it really happens."""

from __future__ import annotations

import json
import os
import sys

from ..project.discovery import discover
from . import CLEAN, FOUND, WRONG, check, complain, fixing, proving
from .options import Flag, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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
    "inputs), spurious (PyTorch raises though no saved byte changed) or inconclusive? This runs your code. The child\n"
    "process has limits, which guard against code with bugs, not against code that means harm.",
    (
        Flag(
            "--launcher",
            'put this before the command of each child: "srun --gres=gpu:1", "ssh host"',
            "COMMAND",
        ),
        Flag("--jobs", "how many children to run at once [1]", "N", number=True),
        Flag("--timeout", "seconds that one block may take [60]", "SECONDS", number=True),
        Flag("--memory", "GiB of memory that one block may use [8]", "GIB", number=True),
        Flag(
            "--capture",
            "inputs that `inplace-lint capture` recorded; inplace-lint-capture.json if it is there",
            "FILE",
        ),
        Flag("--output-format", "how to report", "FORMAT", choices=("full", "concise", "json", "json-lines")),
        Flag("--output-file", "write the report there, not to standard output", "FILE"),
        *(flag for flag in check.VERB.flags if flag.name in _SHARED),
    ),
)


def run(paths: list[str], values: dict[str, Any]) -> int:
    """Checks and confirms the paths and returns the exit code. Raises UsageError."""
    if "-" in paths:
        raise UsageError("confirm runs files: standard input cannot be run")
    launcher = proving.launcher(values)
    # Elsewhere there may be another environment; the child says what is missing there.
    proving.need_children("confirm", elsewhere=bool(launcher))
    targets, errors = discover(paths or ["."], check._configuration(values))
    for one in errors:
        complain(str(one))
    findings = check._check_files(targets, None)
    # What is said of memory is decided by what the fix makes of it.
    fixing.show_edits(targets, [one for one in findings if one.code.startswith("IPL4")], {})
    verdicts = _verdicts(findings, targets, launcher, values)
    form = values.get("output-format", "full")
    colour = check._has_colour(sys.stdout) and "output-file" not in values
    check._write(_report(form, findings, verdicts, targets, colour), values.get("output-file"))
    _summary(findings, verdicts, len(targets))
    if errors:
        return WRONG
    stands = [
        one
        for index, one in enumerate(findings)
        if one.severity != "note" and verdicts.get(index, {}).get("status") not in ("refuted", "spurious")
    ]
    return FOUND if stands else CLEAN


def _verdicts(
    findings: Sequence[Diagnostic], targets: Sequence[Target], launcher: list[str], values: dict[str, Any]
) -> dict[int, dict[str, Any]]:
    from ..project import Project
    from ..runtime.child import READY, Children, Limits
    from ..runtime.confirm import confirm

    factories, captured = proving.factories(targets), proving.captured(values.get("capture"))
    limits = Limits(seconds=float(values.get("timeout", 60)), memory=values.get("memory", 8) * 2.0**30)
    children = Children(limits, launcher, values.get("jobs", 1), imports=READY)
    projects = {target.filename: Project(target.settings.root, target.settings.src) for target in targets}
    found = {}
    for index, verdict in confirm(findings, children, projects, factories, captured):
        found[index] = verdict
        if sys.stderr.isatty():
            print(f"\r\x1b[Kran {len(found)} of {len(findings)}", end="", file=sys.stderr, flush=True)
    if found and sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return found


def _report(
    form: str,
    findings: Sequence[Diagnostic],
    verdicts: Mapping[int, dict[str, Any]],
    targets: Sequence[Target],
    colour: bool,
) -> str:
    from ..report import concise, full, records
    from ..report.source import Sources
    from ..report.style import Style, safe

    sources, style = Sources(), Style(colour)
    if form.startswith("json"):
        roots = {target.filename: target.settings.root for target in targets}
        rows = [
            {**record, "verdict": verdicts.get(index)}
            for index, record in enumerate(
                records.records(findings, sources, lambda name: roots.get(name, os.getcwd()))
            )
        ]
        if form == "json":
            return json.dumps(rows, indent=2) + "\n"
        return "".join(f"{json.dumps(row)}\n" for row in rows)
    text = ""
    for index, one in enumerate(findings):
        verdict = verdicts.get(index)
        said = "" if verdict is None else safe(f"{verdict['status']}: {verdict['reason']}")
        if form == "concise":
            line = concise.render([one], style).rstrip("\n")
            text += f"{line} [{said}]\n" if said else f"{line}\n"
            continue
        drawn = full.finding(one, sources, style)
        rows_ = [one.location.end_row, *(label.location.end_row for label in one.labels)]
        margin = " " * (len(str(max(rows_))) + 2) + style.paint("=", "frame")
        text += drawn
        if verdict is not None:
            text += f"\n{margin} {style.paint('verdict:', 'bold')} {said}"
            given = ", ".join(f"{name}={value}" for name, value in verdict["inputs"].items())
            if given:
                text += f"\n{margin} {style.paint('inputs:', 'bold')} {safe(given)} on {verdict['device']}"
        text += "\n\n"
    return text


def _summary(findings: Sequence[Diagnostic], verdicts: Mapping[int, dict[str, Any]], files: int) -> None:
    checked = f"{files} file{'s' if files != 1 else ''}"
    if not findings:
        print(f"Nothing found in {checked}, so nothing was run.", file=sys.stderr)
        return
    counts = [
        f"{count} {status}"
        for status in ("confirmed", "refuted", "spurious", "inconclusive")
        if (count := sum(verdict["status"] == status for verdict in verdicts.values()))
    ]
    what = f"{len(findings)} finding{'s' if len(findings) != 1 else ''}"
    print(f"{what} in {checked}: {', '.join(counts) or 'none of which a run decides'}.", file=sys.stderr)
    if any(
        "no inputs" in verdict["reason"] or "trials found none" in verdict["reason"]
        for verdict in verdicts.values()
    ):
        print(
            "Where no inputs are known, say them above the class or function, as in\n"
            "    # inplace-lint: inputs width=64, x=f32[2,16,64]\n"
            "or run a program of your own that gets there: inplace-lint trace train.py",
            file=sys.stderr,
        )
