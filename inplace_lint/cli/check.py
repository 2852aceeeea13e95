"""The verb `check`: reads files, reports findings."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model import SEVERITIES, at_least
from ..project.configuration import ConfigurationError
from ..project.discovery import Target, discover, is_excluded
from ..project.paths import shown
from ..report import FORMATS, render
from ..report.findings import Findings
from . import CLEAN, FOUND, WRONG, complain, fixing, output, pipeline
from .options import UsageError, Verb, choice, flag, number
from .selection import add_configuration, add_selection, configuration, narrowed

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..model import Diagnostic
    from ..project.configuration import Configuration
    from .baseline import Baseline
    from .options import Parser


def _options(parser: Parser) -> None:
    fixes = parser.add_argument_group("Fixes")
    flag(fixes, "--fix", "make safe fixes in the files, and report what remains")
    flag(fixes, "--unsafe-fixes", "make and count the fixes too that may change what the program computes")
    flag(fixes, "--prove", "make only fixes that are proved by running both forms (runs your code)")
    flag(fixes, "--diff", "show what --fix would change, and change nothing")
    flag(fixes, "--add-ignore", "add a comment to the line of each finding that ignores it from now on")
    flag(fixes, "--exit-non-zero-on-fix", "exit with 1 if something was fixed, even if nothing remains")
    selection = add_selection(parser)
    selection.add_argument(
        "--baseline", metavar="FILE", help="report only findings that this file does not list; fix no others"
    )
    selection.add_argument(
        "--write-baseline", metavar="FILE", help="write a file that lists all findings, for --baseline"
    )
    report = parser.add_argument_group("Report")
    report.add_argument("--output-format", metavar="FORMAT", help="one of %(choices)s", **choice(*FORMATS))
    report.add_argument(
        "--output-file", metavar="FILE", help="write the report there, not to standard output"
    )
    flag(report, "--statistics", "report how often each rule was broken, not where")
    report.add_argument(
        "--fail-on",
        metavar="SEVERITY",
        default="warning",
        help="exit with 1 only for findings at least this bad: %(choices)s [warning]",
        **choice("error", "warning"),
    )
    flag(report, "--exit-zero", "exit with 0 even if something was found")
    files = add_configuration(parser)
    files.add_argument("--stdin-filename", metavar="FILE", help="the name that standard input goes by")
    files.add_argument(
        "--jobs", metavar="N", type=number, help="how many processes to use [as many as pay off]"
    )


@dataclass
class Checked:
    """What a run has read and found. `texts` holds the sources that are not on disk; `known` what a baseline lists."""

    targets: list[Target]
    findings: list[Diagnostic]
    texts: dict[str, bytes]
    jobs: int = 1
    incomplete: bool = False
    known: list[Diagnostic] = field(default_factory=list)

    @property
    def filenames(self) -> list[str]:
        return [target.filename for target in self.targets]

    def set_apart(self, baseline: Baseline) -> None:
        """Of all that was found, what the baseline lists is known."""
        found = self.findings
        listed = baseline.divide(found, self.filenames, self.texts)
        self.known = [one for one, is_known in zip(found, listed) if is_known]
        self.findings = [one for one, is_known in zip(found, listed) if not is_known]


def run(options: Namespace) -> int:
    """Checks the paths and returns the exit code. Raises UsageError."""
    fixes = fixing.wanted(options)
    baseline = _baseline(options)
    checked = _check(options)
    if baseline is not None and options.baseline:
        checked.set_apart(baseline)
    outcome: fixing.Outcome | None = None
    failed = False
    if options.write_baseline and baseline is not None:
        _list(checked, baseline)
    elif options.add_ignore:
        checked.findings, failed = fixing.ignore_all(checked.targets, checked.findings)
    elif fixes:
        in_files = not (checked.texts or options.diff)
        outcome = fixing.Outcome(options.unsafe_fixes, in_files, baseline=baseline)
        _fix(options, checked, outcome)
        if options.diff:
            output.write(output.diff(outcome.diffs, options.output_format or ""), options.output_file)
            output.would_fix(outcome, checked.incomplete)
            return (
                WRONG if checked.incomplete else FOUND if outcome.fixed and not options.exit_zero else CLEAN
            )
        failed = outcome.failed
        if checked.texts:
            output.write_bytes(checked.texts[checked.targets[0].filename])
    _report(options, checked, outcome, baseline)
    if checked.incomplete or failed:
        return WRONG
    faults = any(at_least(one.severity, options.fail_on, SEVERITIES) for one in checked.findings)
    faults = faults or (outcome is not None and bool(outcome.fixed) and options.exit_non_zero_on_fix)
    return FOUND if faults and not options.exit_zero else CLEAN


def _baseline(options: Namespace) -> Baseline | None:
    """The baseline that the options name, to be read or to be written anew. Raises UsageError."""
    filename = options.baseline or options.write_baseline
    if filename is None:
        return None
    from . import baseline

    if options.baseline and options.write_baseline:
        raise UsageError(
            "--baseline and --write-baseline contradict each other: the latter writes all findings"
        )
    if options.baseline or os.path.lexists(filename):
        return baseline.load(filename)
    return baseline.Baseline(filename)


def _list(checked: Checked, baseline: Baseline) -> None:
    """Writes what was found to the baseline; what may not be listed remains."""
    from .baseline import may_be_listed

    listed = [one for one in checked.findings if may_be_listed(one)]
    checked.findings = [one for one in checked.findings if not may_be_listed(one)]
    count = baseline.write(listed, checked.filenames, checked.texts)
    print(f"{baseline.filename} lists {count} finding{'s' * (count != 1)}.", file=sys.stderr)


def _check(options: Namespace) -> Checked:
    """Reads and checks what the call names. Raises UsageError."""
    paths = options.arguments
    from_input = paths == ["-"]
    if "-" in paths and not from_input:
        raise UsageError("`-` (standard input) cannot be mixed with other paths")
    if options.stdin_filename is not None and not from_input:
        raise UsageError("--stdin-filename is for standard input: write `-` as the path")
    if from_input and options.add_ignore:
        raise UsageError("--add-ignore writes into files: standard input is none")
    settings = configuration(options)
    if from_input:
        return _check_input(options.stdin_filename, settings)
    targets, errors = discover(paths or ["."], settings)
    for error in errors:
        complain(str(error))
    jobs = options.jobs or pipeline.default_jobs(len(targets))
    return Checked(targets, check_files(targets, jobs), {}, jobs, incomplete=bool(errors))


def _fix(options: Namespace, checked: Checked, outcome: fixing.Outcome) -> None:
    """Makes the fixes that are asked for; what remains has been found."""
    if options.prove:
        from . import proving

        outcome.prover = proving.prover(checked.targets, from_input=bool(checked.texts))
    found = sorted([*checked.findings, *checked.known], key=lambda one: one.location.key())
    checked.findings = fixing.fix_all(checked.targets, found, checked.texts, outcome)
    if outcome.baseline is not None:
        checked.set_apart(outcome.baseline)
    if outcome.prover is not None:
        proving.write(outcome.prover, options.output_file)


def _report(
    options: Namespace, checked: Checked, outcome: fixing.Outcome | None, baseline: Baseline | None
) -> None:
    """Writes the report, and to standard error what is said about it."""
    findings, texts = checked.findings, checked.texts
    # Before the edits are tried, which not every format does: all count the same.
    fixable = fixing.hints(findings, options.unsafe_fixes, outcome is not None)
    form = options.output_format or "full"
    if outcome is None and FORMATS[form].edits and not options.statistics:
        fixing.show_edits(checked.targets, findings, texts, checked.jobs)
    if options.statistics:
        report = output.statistics(findings, form)
    else:
        roots = {target.filename: target.settings.root for target in checked.targets}
        shown, listed = findings, None
        if options.baseline and FORMATS[form].known:
            known = {id(one) for one in checked.known}
            shown = sorted([*findings, *checked.known], key=lambda one: one.location.key())
            listed = {number for number, one in enumerate(shown) if id(one) in known}
        whole = Findings(
            shown,
            lambda filename: roots.get(filename, os.getcwd()),
            texts,
            colour=output.has_colour(sys.stdout) and options.output_file is None,
            files=list(roots),
            known=listed,
        )
        report = render(form, whole)
        output.add_summary(form, whole)
    if outcome is not None and texts and options.output_file is None:
        sys.stderr.write(report)  # standard output is the fixed source
    else:
        output.write(report, options.output_file)
    listed_in = baseline.filename if baseline is not None and options.baseline else ""
    output.summary(findings, len(checked.targets), checked.incomplete, outcome, len(checked.known), listed_in)
    if baseline is not None and options.baseline and not narrowed(options):
        output.stale(sum(baseline.stale.values()), baseline.filename)
    for line in fixable:
        print(line, file=sys.stderr)


def _check_input(name: str | None, configuration: Configuration) -> Checked:
    filename = "-" if name is None else shown(name)
    if sys.stdin is None:
        raise UsageError("`-` is standard input, which is closed")
    source = sys.stdin.buffer.read()
    try:
        settings = configuration.settings(os.path.dirname(os.path.abspath(filename)))
    except ConfigurationError as error:
        raise UsageError(str(error)) from error
    checked = Checked([Target(filename, settings)], [], {filename: source})
    if name is None or not settings.force_exclude or not is_excluded(os.path.abspath(name), settings):
        checked.findings = pipeline.examine(filename, source, settings)
    return checked


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
    "Check Python files and notebooks, and those below directories, for in-place writes that break\n"
    "PyTorch's backward. Without PATHS the working directory is checked; - reads standard input.\n"
    "`--` ends the options.",
    run,
    _options,
)
