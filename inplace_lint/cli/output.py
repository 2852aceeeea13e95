"""Writes a run's output: the report to its destination, counts and the closing line beside it."""

from __future__ import annotations

import os
import sys
from collections import Counter
from typing import TYPE_CHECKING

from ..checks import registry
from ..project.paths import shown
from ..report.style import safe
from . import complain, silence
from .options import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from ..interp.profile_counts import ProfileCounts
    from ..model import Diagnostic
    from ..project.discovery import Target
    from ..report.findings import Findings
    from .baseline import Baseline
    from .checked import Checked
    from .fixing import Outcome


def has_colour(stream: TextIO, when: str = "auto") -> bool:
    """As --color says; else as FORCE_COLOR and NO_COLOR say; else whether the stream is a terminal."""
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write(report: str, filename: str | None) -> None:
    """Writes a report to a file, without one to standard output. Raises UsageError."""
    if filename is None:
        try:
            sys.stdout.write(report)
            sys.stdout.flush()
        except BrokenPipeError:
            silence()
        return
    try:
        with opened(filename) as file:
            file.write(report)
    except OSError as error:
        raise _cannot_write(filename, error) from error


def opened(filename: str) -> TextIO:
    """The file that --output-file names. Raises UsageError."""
    try:
        return open(filename, "w", encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise _cannot_write(filename, error) from error


def _cannot_write(filename: str, error: OSError) -> UsageError:
    return UsageError(f"--output-file: {filename} cannot be written: {error.strerror}")


def write_bytes(source: bytes) -> None:
    """A fixed source, byte for byte, to standard output."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(source)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def add_summary(form: str, findings: Findings) -> None:
    """Adds a table to the page of a GitHub workflow's run, which shows but the first annotations."""
    filename = os.environ.get("GITHUB_STEP_SUMMARY")
    if form != "github" or not filename:
        return
    from ..report import placed, step_summary

    try:
        with open(filename, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(step_summary.document(placed(findings, beside=True)))
    except OSError as error:
        complain(f"GITHUB_STEP_SUMMARY: {filename} cannot be written: {error.strerror}")


def statistics(findings: Sequence[Diagnostic], form: str) -> str:
    """How often each rule was broken, the most frequent first, as Ruff prints it."""
    counts = Counter(one.code for one in findings)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    names = {rule.code: rule.name for rule in registry.every()}
    if form.startswith("json"):
        import json

        return (
            json.dumps([{"code": code, "name": names[code], "count": count} for code, count in rows]) + "\n"
        )
    width = max((len(str(count)) for _, count in rows), default=0)
    return "".join(f"{count:>{width}}  {code}  {names[code]}\n" for code, count in rows)


def diff(diffs: Sequence[str], form: str) -> str:
    """The changes as a patch that can be applied, unless somebody looks at it: then it is made harmless to look at."""
    text = "".join(diffs)
    if form not in ("github", "azure") and not sys.stdout.isatty():
        return text
    from ..report import azure, github

    text = "".join(f"{safe(line)}\n" for line in text.splitlines())
    return github.quoted(text) if form == "github" else azure.quoted(text) if form == "azure" else text


def summary(
    findings: Sequence[Diagnostic],
    run: Checked,
    outcome: Outcome | None,
    baseline: str = "",
    counted: Sequence[Diagnostic] = (),
) -> None:
    """The last line, on standard error, so that standard output is the report alone.

    The findings that are `run.known` the file `baseline` lists. What is `counted` is not listed: it is not analysed as
    a whole.
    """
    files, known = len(run.targets), len(run.known)
    if not files:
        if not run.incomplete:
            print("warning: no Python files found under the given paths", file=sys.stderr)
        return
    counts = [
        f"{count} {severity}{'s' if count != 1 else ''}"
        for severity in ("error", "warning", "note")
        if (count := sum(one.severity == severity for one in findings))
    ]
    checked = f"{files} file{'s' if files != 1 else ''}"
    if known:
        checked += f"; {known} more finding{'s are' if known != 1 else ' is'} listed in {safe(baseline)}"
    end = "."
    if counted:
        end = f". {_cut_short(counted)} not analysed as a whole (IPL003): `--notes` shows which."
    if outcome is not None and outcome.fixed:
        total = outcome.fixed + len(findings)
        told = f"({outcome.fixed} fixed, {len(findings)} remaining)"
        print(f"Found {total} finding{'s' if total != 1 else ''} {told} in {checked}{end}", file=sys.stderr)
    elif counts:
        print(f"Found {' and '.join(counts)} in {checked}{end}", file=sys.stderr)
    elif counted:
        print(f"Found nothing in {checked}{end}", file=sys.stderr)
    elif not run.incomplete:
        print(f"All checks passed in {checked}.", file=sys.stderr)


def _cut_short(found: Sequence[Diagnostic]) -> str:
    """`2 functions are`, `1 function and the top level of 1 file are`: an IPL003 of a top level marks no text."""
    places = [one.location for one in found]
    files = sum((one.row, one.column) == (one.end_row, one.end_column) for one in places)
    functions = len(places) - files
    parts = [f"{functions} function{'s' * (functions != 1)}"] if functions else []
    parts += [f"the top level of {files} file{'s' * (files != 1)}"] if files else []
    told = " and ".join(parts)
    return f"{told[0].upper()}{told[1:]} {'is' if len(parts) == 1 and functions < 2 else 'are'}"


def stale(baseline: Baseline, each: bool) -> None:
    """Says how many of the findings that a baseline lists are gone, and with `each` which."""
    count = sum(baseline.stale.values())
    name = safe(baseline.filename)
    for code, scope, text in sorted(baseline.stale.elements()) if each else ():
        print(safe(f"gone: {code} in {scope}: {text}"), file=sys.stderr)
    if count:
        told = "1 finding that it lists is gone" if count == 1 else f"{count} findings that it lists are gone"
        print(f"{name}: {told}; --write-baseline {name} forgets them.", file=sys.stderr)


def about(targets: Sequence[Target], jobs: int, seconds: float) -> None:
    """What --verbose adds: where the settings came from, and what the run took."""
    sources = Counter(target.settings.config_file for target in targets)
    for name, count in sources.items():
        files = f"{count} file{'s' if count != 1 else ''}"
        where = (
            "the defaults: there is no configuration file"
            if name is None
            else f"the settings of {safe(name)}"
        )
        print(f"{files} with {where}.", file=sys.stderr)
    print(f"{jobs} process{'es' if jobs != 1 else ''}, {seconds:.1f} s.", file=sys.stderr)


#: Of so many functions --profile says how often each was interpreted.
_MOST = 10


def profile(tally: ProfileCounts) -> None:
    """What --profile adds: how often runs began, and how often they went through which functions."""
    runs, times = tally.roots.total(), tally.bodies.total()
    each = times / len(tally.bodies) if tally.bodies else 0.0
    print(
        f"The analysis began {runs} runs with {len(tally.roots)} functions, and interpreted {len(tally.bodies)} "
        f"functions {times} times, each {each:.1f} times on average, most often:",
        file=sys.stderr,
    )
    for (filename, row, name, owner), count in tally.bodies.most_common(_MOST):
        told = f"{owner}.{name}" if owner else name
        print(f"{count:6}  {safe(told)}  {safe(shown(filename))}:{row}", file=sys.stderr)


def fixed_alone(outcome: Outcome, quiet: bool) -> None:
    """The last line of `--fix-only`: what was done, and nothing where nothing was."""
    if outcome.fixed and not quiet:
        print(f"Fixed {outcome.fixed} finding{'s' if outcome.fixed != 1 else ''}.", file=sys.stderr)


def would_fix(outcome: Outcome, incomplete: bool) -> None:
    """The last line of `--diff`."""
    if outcome.fixed:
        print(f"Would fix {outcome.fixed} finding{'s' if outcome.fixed != 1 else ''}.", file=sys.stderr)
    elif not incomplete:
        print("No finding would be fixed.", file=sys.stderr)
