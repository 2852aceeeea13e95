"""The verb `check`: reads files, reports findings."""

from __future__ import annotations

import os
import sys

from ..checks import registry
from ..model import CONFIDENCES, Diagnostic
from ..project.configuration import Configuration, ConfigurationError
from ..project.discovery import Target, discover, is_excluded
from ..project.paths import shown
from ..report import FORMATS, render
from . import CLEAN, FOUND, WRONG, complain, fixing, pipeline, silence
from .options import Flag, UsageError, Verb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

VERB = Verb(
    "check",
    "[PATHS... | -] [OPTIONS]",
    "Check Python files, and those below directories, for in-place writes that break PyTorch's backward.\n"
    "Without PATHS the working directory is checked; - reads standard input.",
    (
        Flag("--fix", "apply safe fixes to the files, and report what remains"),
        Flag("--unsafe-fixes", "apply and count the fixes too that may change what the program computes"),
        Flag(
            "--prove",
            "make only fixes that are proved by running both forms (runs your code)",
        ),
        Flag("--diff", "show what --fix would change, and change nothing"),
        Flag("--exit-non-zero-on-fix", "exit with 1 if something was fixed, even if nothing remains"),
        Flag("--select", "report only these rules: codes, prefixes, names or ALL", "RULES", many=True),
        Flag("--ignore", "do not report these rules", "RULES", many=True),
        Flag("--extend-select", "report these rules besides the selected ones", "RULES", many=True),
        Flag(
            "--min-confidence",
            "report findings at least this sure; `possible` ones are shown as notes",
            "LEVEL",
            choices=CONFIDENCES,
        ),
        Flag("--notes", "show notes too; they never change the exit code"),
        Flag("--output-format", "how to report", "FORMAT", choices=FORMATS),
        Flag("--output-file", "write the report there, not to standard output", "FILE"),
        Flag("--statistics", "report how often each rule was broken, not where"),
        Flag("--stdin-filename", "the name that standard input goes by", "FILE"),
        Flag("--exit-zero", "exit with 0 even if something was found"),
        Flag("--config", "use this configuration file and no other", "FILE"),
        Flag("--isolated", "read no configuration file"),
        Flag("--force-exclude", "leave out excluded files even if they are named"),
        Flag("--jobs", "how many processes to use; without it, as many as pay off", "N", number=True),
    ),
)

#: Options that override the configuration's key of the same name; `ignore` adds to it.
_OVERRIDES = ("select", "extend-select", "min-confidence", "notes", "force-exclude")


def run(paths: list[str], values: dict[str, Any]) -> int:
    """Checks the paths and returns the exit code. Raises UsageError."""
    configuration = _configuration(values)
    texts: dict[str, bytes] = {}
    from_input = paths == ["-"]
    jobs = 1
    if "-" in paths and not from_input:
        raise UsageError("`-` (standard input) cannot be mixed with other paths")
    if "stdin-filename" in values and not from_input:
        raise UsageError("--stdin-filename is for standard input: write `-` as the path")
    if from_input:
        findings, targets, errors = _check_input(values.get("stdin-filename"), configuration, texts)
    else:
        targets, errors = discover(paths or ["."], configuration)
        for error in errors:
            complain(str(error))
        jobs = values.get("jobs") or pipeline.default_jobs(len(targets))
        findings = _check_files(targets, jobs)
    output = values.get("output-format", "full")
    outcome: fixing.Outcome | None = None
    if fixing.wanted(values):
        outcome = fixing.Outcome(
            bool(values.get("unsafe-fixes")), in_files=not from_input and "diff" not in values
        )
        if "prove" in values:
            from . import proving

            outcome.prover = proving.prover(targets, from_input)
        findings = fixing.fix_all(targets, findings, texts, outcome)
        if outcome.prover is not None:
            proving.write(outcome.prover, values.get("output-file"))
        if "diff" in values:
            _write(_diff(outcome.diffs, output), values.get("output-file"))
            return _would_fix(outcome, bool(errors), bool(values.get("exit-zero")))
        if from_input:
            _write_bytes(texts[targets[0].filename])
    # Before the edits are tried, which not every format does: all count the same.
    fixable = fixing.hints(findings, bool(values.get("unsafe-fixes")), outcome is not None)
    if outcome is None and output in fixing.WITH_EDITS and "statistics" not in values:
        fixing.show_edits(targets, findings, texts, jobs)
    if values.get("statistics"):
        report = _statistics(findings, output)
    else:
        roots = {target.filename: target.settings.root for target in targets}
        report = render(
            output,
            findings,
            lambda filename: roots.get(filename, os.getcwd()),
            texts,
            colour=_has_colour(sys.stdout) and "output-file" not in values,
        )
    if outcome is not None and from_input and "output-file" not in values:
        sys.stderr.write(report)  # standard output is the fixed source
    else:
        _write(report, values.get("output-file"))
    _summary(findings, len(targets), bool(errors), outcome)
    for line in fixable:
        print(line, file=sys.stderr)
    if errors or (outcome is not None and outcome.failed):
        return WRONG
    faults = any(one.severity != "note" for one in findings)
    faults = faults or bool(outcome is not None and outcome.fixed and values.get("exit-non-zero-on-fix"))
    return FOUND if faults and not values.get("exit-zero") else CLEAN


def _would_fix(outcome: fixing.Outcome, incomplete: bool, exit_zero: bool) -> int:
    if outcome.fixed:
        print(f"Would fix {outcome.fixed} error{'s' if outcome.fixed != 1 else ''}.", file=sys.stderr)
    elif not incomplete:
        print("No errors would be fixed.", file=sys.stderr)
    if incomplete:
        return WRONG
    return FOUND if outcome.fixed and not exit_zero else CLEAN


def _diff(diffs: Sequence[str], output: str) -> str:
    """The changes as a patch that can be applied, unless somebody looks at it: then it is made harmless to look at."""
    text = "".join(diffs)
    if output != "github" and not sys.stdout.isatty():
        return text
    from ..report.style import safe

    text = "".join(f"{safe(line)}\n" for line in text.splitlines())
    if output != "github":
        return text
    from ..report.github import quoted

    return quoted(text)


def _write_bytes(source: bytes) -> None:
    """A fixed source, byte for byte, to standard output."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(source)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()


def _configuration(values: dict[str, Any]) -> Configuration:
    if values.get("isolated") and values.get("config"):
        raise UsageError("--isolated and --config contradict each other")
    for option in ("select", "ignore", "extend-select"):
        for selector in values.get(option, ()):
            problem = registry.problem(selector)
            if problem:
                raise UsageError(f"--{option}: {problem}")
    overrides = {name.replace("-", "_"): values[name] for name in _OVERRIDES if name in values}
    if "select" in values:
        # What is selected here replaces all that the configuration selects.
        overrides.setdefault("extend_select", ())
    file = values.get("config")
    if file is not None and not os.path.isfile(file):
        raise UsageError(f"--config: there is no file {file}")
    return Configuration(
        overrides,
        more_ignored=values.get("ignore", ()),
        file=file,
        isolated=bool(values.get("isolated")),
        selector_problem=registry.problem,
    )


def _check_input(
    name: str | None, configuration: Configuration, texts: dict[str, bytes]
) -> tuple[list[Diagnostic], list[Target], list[ConfigurationError]]:
    filename = "-" if name is None else shown(name)
    if sys.stdin is None:
        raise UsageError("`-` is standard input, which is closed")
    source = sys.stdin.buffer.read()
    texts[filename] = source
    try:
        settings = configuration.settings(os.path.dirname(os.path.abspath(filename)))
    except ConfigurationError as error:
        raise UsageError(str(error)) from error
    target = Target(filename, settings)
    if name is not None and settings.force_exclude and is_excluded(os.path.abspath(name), settings):
        return [], [target], []
    return pipeline.examine(filename, source, settings), [target], []


def _check_files(targets: Sequence[Target], jobs: int) -> list[Diagnostic]:
    if not sys.stderr.isatty():
        return [one for found in pipeline.examine_files(targets, jobs) for one in found]
    from .progress import Progress

    findings: list[Diagnostic] = []
    with Progress(len(targets), sys.stderr) as progress:
        for number, found in enumerate(pipeline.examine_files(targets, jobs), 1):
            findings += found
            progress.show(number, targets[number - 1].filename)
    return findings


def _statistics(findings: Sequence[Diagnostic], name: str) -> str:
    """How often each rule was broken, the most frequent first, as Ruff prints it."""
    counts: dict[str, int] = {}
    for one in findings:
        counts[one.code] = counts.get(one.code, 0) + 1
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    names = {rule.code: rule.name for rule in registry.RULES}
    if name.startswith("json"):
        import json

        return (
            json.dumps([{"code": code, "name": names[code], "count": count} for code, count in rows]) + "\n"
        )
    width = max((len(str(count)) for _, count in rows), default=0)
    return "".join(f"{count:>{width}}  {code}  {names[code]}\n" for code, count in rows)


def _write(report: str, filename: str | None) -> None:
    if filename is None:
        try:
            sys.stdout.write(report)
            sys.stdout.flush()
        except BrokenPipeError:
            silence()
        return
    try:
        with open(filename, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(report)
    except OSError as error:
        raise UsageError(f"--output-file: {filename} cannot be written: {error.strerror}") from error


def _summary(
    findings: Sequence[Diagnostic], files: int, incomplete: bool, outcome: fixing.Outcome | None
) -> None:
    """The last line, on standard error, so that standard output is the report alone."""
    if not files:
        if not incomplete:
            print("warning: no Python files found under the given paths", file=sys.stderr)
        return
    counts = [
        f"{count} {severity}{'s' if count != 1 else ''}"
        for severity in ("error", "warning", "note")
        if (count := sum(one.severity == severity for one in findings))
    ]
    checked = f"{files} file{'s' if files != 1 else ''}"
    if outcome is not None and outcome.fixed:
        total = outcome.fixed + len(findings)
        told = f"({outcome.fixed} fixed, {len(findings)} remaining)"
        print(f"Found {total} error{'s' if total != 1 else ''} {told} in {checked}.", file=sys.stderr)
    elif counts:
        print(f"Found {' and '.join(counts)} in {checked}.", file=sys.stderr)
    elif not incomplete:
        print(f"All checks passed in {checked}.", file=sys.stderr)


def _has_colour(stream: TextIO) -> bool:
    """FORCE_COLOR and NO_COLOR as their conventions say; else whether the stream is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"
