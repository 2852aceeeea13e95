"""The verb `check`: reads files, reports findings."""

from __future__ import annotations

import os
import sys
from time import perf_counter
from typing import TYPE_CHECKING

from ..engine import edits
from ..model import SEVERITIES, at_least
from ..project.discovery import discover
from ..report import FORMATS, render
from ..report.findings import Findings
from . import CLEAN, FOUND, WRONG, complain, fixing, output
from .checked import Checked, missing, read
from .options import UsageError, Verb, choice, flag, number
from .selection import add_configuration, add_report, add_selection, complete, configuration, narrowed

if TYPE_CHECKING:
    from argparse import Namespace

    from ..interp.profile_counts import ProfileCounts
    from ..model import Diagnostic
    from ..project.configuration import Configuration
    from .baseline import Baseline
    from .options import Parser


def _options(parser: Parser) -> None:
    fixes = parser.add_argument_group("Fixes")
    flag(fixes, "--fix", "make safe fixes in the files, and report what remains")
    flag(
        fixes,
        "--fix-only",
        "make safe fixes, and neither report nor count what remains: for a hook beside another",
    )
    flag(fixes, "--unsafe-fixes", "also make, and count, the fixes that may change what the program computes")
    flag(fixes, "--prove", "make only fixes that are proved by running both forms (runs your code)")
    flag(fixes, "--diff", "show what --fix would change, and change nothing; exit with 1 if that is anything")
    flag(fixes, "--add-ignore", "add a comment to the line of each finding that ignores it from now on")
    flag(fixes, "--exit-non-zero-on-fix", "exit with 1 if something was fixed, even if nothing remains")
    selection = add_selection(parser)
    selection.add_argument(
        "--baseline", metavar="FILE", help="report only findings that this file does not list; fix no others"
    )
    selection.add_argument(
        "--write-baseline", metavar="FILE", help="write a file that lists all findings, for --baseline"
    )
    report = add_report(parser)
    report.add_argument(
        "-v", "--verbose", action="store_true", help="also say which settings were used, and how long it took"
    )
    flag(report, "--profile", "also say how often the analysis went through which functions; in one process")
    flag(report, "--statistics", "report how often each rule was broken, not where")
    report.add_argument(
        "--fail-on",
        metavar="SEVERITY",
        help="exit with 1 only for findings at least this bad: %(choices)s [warning]",
        **choice("error", "warning"),
    )
    flag(report, "--exit-zero", "exit with 0 even if something was found")
    files = add_configuration(parser)
    flag(files, "--show-files", "list the files that would be checked, and check none")
    flag(files, "--show-settings", "print the settings for the first of the files, and check none")
    flag(files, "--watch", "check again whenever a file changes, until Ctrl-C")
    files.add_argument("--stdin-filename", metavar="FILE", help="the name that standard input goes by")
    files.add_argument(
        "--jobs", metavar="N", type=number, help="how many processes to use [as many as pay off]"
    )


def run(options: Namespace) -> int:
    """Checks the paths and returns the exit code. Raises UsageError."""
    settings = configuration(options)
    complete(options, settings)
    fixes = fixing.wanted(options)
    if options.watch:
        from .watch import watch

        return watch(options, settings)
    if options.show_files or options.show_settings:
        return _show(options, settings)
    baseline = _baseline(options)
    tally = _counted(options)
    checked = read(options, settings)
    if tally is not None:
        output.profile(tally)
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
            output.write(output.diff(outcome.diffs, options.output_format), options.output_file)
            if not options.quiet:
                output.would_fix(outcome, checked.incomplete)
            return (
                WRONG if checked.incomplete else FOUND if outcome.fixed and not options.exit_zero else CLEAN
            )
        failed = outcome.failed
        if checked.texts:
            output.write_bytes(checked.texts[checked.targets[0].filename])
    if options.fix_only and outcome is not None:
        output.fixed_alone(outcome, options.quiet)
        checked.findings = []
    else:
        _report(options, checked, outcome, baseline)
    if checked.incomplete or failed:
        return WRONG
    faults = any(at_least(one.severity, options.fail_on, SEVERITIES) for one in checked.findings)
    faults = faults or (outcome is not None and bool(outcome.fixed) and options.exit_non_zero_on_fix)
    return FOUND if faults and not options.exit_zero else CLEAN


def _counted(options: Namespace) -> ProfileCounts | None:
    """What counts the runs of the analysis, all of them in this process, if that is asked for."""
    if not options.profile:
        return None
    from ..interp import profile_counts

    options.jobs, options.no_cache = 1, True
    return profile_counts.begin()


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
        return baseline.load(filename, options.baseline_said_by)
    return baseline.Baseline(filename)


def _list(checked: Checked, baseline: Baseline) -> None:
    """Writes what was found to the baseline; what may not be listed remains."""
    from .baseline import may_be_listed

    listed = [one for one in checked.findings if may_be_listed(one)]
    checked.findings = [one for one in checked.findings if not may_be_listed(one)]
    count = baseline.write(listed, checked.filenames, checked.texts)
    print(f"{baseline.filename} lists {count} finding{'s' * (count != 1)}.", file=sys.stderr)


def _show(options: Namespace, settings: Configuration) -> int:
    """Prints the files that would be checked, or the settings for the first of them."""
    from . import show

    targets, errors = discover(options.arguments or ["."], settings)
    for error in errors:
        complain(str(error))
    lost = missing(options.arguments)
    targets = [one for one in targets if one.filename not in lost]
    if options.show_files:
        show.files(targets)
    elif targets:
        show.settings(targets[0].settings, targets[0].filename)
    return WRONG if errors or lost else CLEAN


def _fix(options: Namespace, checked: Checked, outcome: fixing.Outcome) -> None:
    """Makes the fixes that are asked for; what remains has been found."""
    if options.prove:
        from . import proving

        outcome.prover = proving.prover(checked.targets, from_input=bool(checked.texts))
        if not options.quiet:
            outcome.on_proof = proving.tell
    found = sorted([*checked.findings, *checked.known], key=lambda one: one.location.key())
    checked.findings = fixing.fix_all(checked.targets, found, checked.texts, outcome)
    if outcome.baseline is not None:
        checked.set_apart(outcome.baseline)
    if outcome.prover is not None:
        proving.wipe()
        proving.write(outcome.prover, options.output_file)


def _report(
    options: Namespace, checked: Checked, outcome: fixing.Outcome | None, baseline: Baseline | None
) -> None:
    """Writes the report, and to standard error what is said about it."""
    form = options.output_format
    counted = checked.counted if FORMATS[form].brief and not options.statistics else []
    unlisted = set(map(id, counted))
    findings = [one for one in checked.findings if id(one) not in unlisted]
    # Before the edits are tried, which not every format does: all count the same.
    fixable = fixing.hints(findings, options.unsafe_fixes, outcome is not None)
    if options.statistics:
        report = output.statistics(findings, form)
    else:
        if outcome is None and FORMATS[form].edits:
            edits.show_edits(checked.targets, findings, checked.texts, checked.jobs, checked.caches)
        report = render(form, _whole(options, checked, findings))
        output.add_summary(form, _whole(options, checked, checked.findings))
    if outcome is not None and checked.texts and options.output_file is None:
        sys.stderr.write(report)  # standard output is the fixed source
    else:
        output.write(report, options.output_file)
    if options.quiet:
        return
    listed_in = baseline.filename if baseline is not None else ""
    output.summary(findings, checked, outcome, listed_in, counted)
    if baseline is not None and not narrowed(options):
        output.stale(baseline, options.verbose)
    for line in fixable:
        print(line, file=sys.stderr)
    if options.verbose:
        output.about(checked.targets, checked.jobs, perf_counter() - checked.started)


def _whole(options: Namespace, checked: Checked, shown: list[Diagnostic]) -> Findings:
    """All that the formats need to know."""
    roots = {target.filename: target.settings.root for target in checked.targets}
    listed = None
    if options.baseline and FORMATS[options.output_format].known:
        known = {id(one) for one in checked.known}
        shown = sorted([*shown, *checked.known], key=lambda one: one.location.key())
        listed = {number for number, one in enumerate(shown) if id(one) in known}
    in_file = options.output_file is not None and options.color == "auto"
    return Findings(
        shown,
        lambda filename: roots.get(filename, os.getcwd()),
        checked.texts,
        colour=output.has_colour(sys.stdout, options.color) and not in_file,
        files=list(roots),
        known=listed,
        silenced=checked.silenced,
        listed=len(checked.known),
    )


VERB = Verb(
    "[PATHS... | -] [OPTIONS]",
    "Check Python files and notebooks, and those below directories, for in-place writes that break\n"
    "PyTorch's backward. Without PATHS the working directory is checked; - reads standard input.\n"
    "`--` ends the options.",
    run,
    _options,
)
