"""The verb `check`: reads files, reports findings."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from ..project.configuration import ConfigurationError
from ..project.discovery import Target, discover, is_excluded
from ..project.paths import shown
from ..report import FORMATS, render
from ..report.findings import Findings
from . import CLEAN, FOUND, WRONG, complain, fixing, output, pipeline
from .options import UsageError, Verb, choice, flag, number
from .selection import add_configuration, add_selection, configuration

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..model import Diagnostic
    from ..project.configuration import Configuration
    from .options import Parser


def _options(parser: Parser) -> None:
    fixes = parser.add_argument_group("Fixes")
    flag(fixes, "--fix", "make safe fixes in the files, and report what remains")
    flag(fixes, "--unsafe-fixes", "make and count the fixes too that may change what the program computes")
    flag(fixes, "--prove", "make only fixes that are proved by running both forms (runs your code)")
    flag(fixes, "--diff", "show what --fix would change, and change nothing")
    flag(fixes, "--exit-non-zero-on-fix", "exit with 1 if something was fixed, even if nothing remains")
    add_selection(parser)
    report = parser.add_argument_group("Report")
    report.add_argument("--output-format", metavar="FORMAT", help="one of %(choices)s", **choice(*FORMATS))
    report.add_argument(
        "--output-file", metavar="FILE", help="write the report there, not to standard output"
    )
    flag(report, "--statistics", "report how often each rule was broken, not where")
    flag(report, "--exit-zero", "exit with 0 even if something was found")
    files = add_configuration(parser)
    files.add_argument("--stdin-filename", metavar="FILE", help="the name that standard input goes by")
    files.add_argument(
        "--jobs", metavar="N", type=number, help="how many processes to use [as many as pay off]"
    )


def run(options: Namespace) -> int:
    """Checks the paths and returns the exit code. Raises UsageError."""
    paths = options.arguments
    from_input = paths == ["-"]
    if "-" in paths and not from_input:
        raise UsageError("`-` (standard input) cannot be mixed with other paths")
    if options.stdin_filename is not None and not from_input:
        raise UsageError("--stdin-filename is for standard input: write `-` as the path")
    settings = configuration(options)
    texts: dict[str, bytes] = {}
    jobs = 1
    if from_input:
        findings, targets, errors = _check_input(options.stdin_filename, settings, texts)
    else:
        targets, errors = discover(paths or ["."], settings)
        for error in errors:
            complain(str(error))
        jobs = options.jobs or pipeline.default_jobs(len(targets))
        findings = check_files(targets, jobs)
    outcome: fixing.Outcome | None = None
    if fixing.wanted(options):
        outcome = fixing.Outcome(options.unsafe_fixes, in_files=not (from_input or options.diff))
        findings = _fix(options, targets, findings, texts, outcome)
        if options.diff:
            output.write(output.diff(outcome.diffs, options.output_format or ""), options.output_file)
            output.would_fix(outcome, bool(errors))
            return WRONG if errors else FOUND if outcome.fixed and not options.exit_zero else CLEAN
        if from_input:
            output.write_bytes(texts[targets[0].filename])
    _report(options, targets, findings, texts, jobs, outcome, bool(errors))
    if errors or (outcome is not None and outcome.failed):
        return WRONG
    faults = any(one.severity != "note" for one in findings)
    faults = faults or (outcome is not None and bool(outcome.fixed) and options.exit_non_zero_on_fix)
    return FOUND if faults and not options.exit_zero else CLEAN


def _fix(
    options: Namespace,
    targets: Sequence[Target],
    findings: Sequence[Diagnostic],
    texts: dict[str, bytes],
    outcome: fixing.Outcome,
) -> list[Diagnostic]:
    """Makes the fixes that are asked for, and gives the findings that remain."""
    if not options.prove:
        return fixing.fix_all(targets, findings, texts, outcome)
    from . import proving

    outcome.prover = proving.prover(targets, from_input=bool(texts))
    remaining = fixing.fix_all(targets, findings, texts, outcome)
    proving.write(outcome.prover, options.output_file)
    return remaining


def _report(
    options: Namespace,
    targets: Sequence[Target],
    findings: Sequence[Diagnostic],
    texts: dict[str, bytes],
    jobs: int,
    outcome: fixing.Outcome | None,
    incomplete: bool,
) -> None:
    """Writes the report, and to standard error what is said about it."""
    # Before the edits are tried, which not every format does: all count the same.
    fixable = fixing.hints(findings, options.unsafe_fixes, outcome is not None)
    form = options.output_format or "full"
    if outcome is None and FORMATS[form].edits and not options.statistics:
        fixing.show_edits(targets, findings, texts, jobs)
    if options.statistics:
        report = output.statistics(findings, form)
    else:
        roots = {target.filename: target.settings.root for target in targets}
        whole = Findings(
            findings,
            lambda filename: roots.get(filename, os.getcwd()),
            texts,
            colour=output.has_colour(sys.stdout) and options.output_file is None,
            files=list(roots),
        )
        report = render(form, whole)
        output.add_summary(form, whole)
    if outcome is not None and texts and options.output_file is None:
        sys.stderr.write(report)  # standard output is the fixed source
    else:
        output.write(report, options.output_file)
    output.summary(findings, len(targets), incomplete, outcome)
    for line in fixable:
        print(line, file=sys.stderr)


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


def check_files(targets: Sequence[Target], jobs: int) -> list[Diagnostic]:
    """The findings of files on disk, with a bar on a terminal."""
    if not sys.stderr.isatty():
        return [one for found in pipeline.examine_files(targets, jobs) for one in found]
    from .progress import Progress

    findings: list[Diagnostic] = []
    with Progress(len(targets), sys.stderr) as progress:
        for done, found in enumerate(pipeline.examine_files(targets, jobs), 1):
            findings += found
            progress.show(done, targets[done - 1].filename)
    return findings


VERB = Verb(
    "[PATHS... | -] [OPTIONS]",
    "Check Python files, and those below directories, for in-place writes that break PyTorch's backward.\n"
    "Without PATHS the working directory is checked; - reads standard input. `--` ends the options.",
    run,
    _options,
)
