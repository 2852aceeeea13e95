"""What `check` does with fixes: shows them, applies them, shows the change, and counts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..engine import edits, pipeline, reading
from ..model import Refused
from . import complain
from .options import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from ..engine.reading import Reading
    from ..model import Diagnostic, Edit
    from ..project.discovery import Target
    from ..runtime.proving import Prover
    from .baseline import Baseline


def wanted(options: Namespace) -> bool:
    """Whether the options ask that fixes be made, in files or in a diff. Raises UsageError."""
    if options.fix_only and (options.statistics or options.output_file is not None):
        told = "--statistics" if options.statistics else "--output-file"
        raise UsageError(f"--fix-only and {told} contradict each other: it reports nothing")
    options.fix = options.fix or options.fix_only
    changing = [name for name in ("fix", "diff", "add_ignore", "write_baseline") if getattr(options, name)]
    if len(changing) > 1 and changing != ["fix", "diff"]:
        one, other = (f"--{name.replace('_', '-')}" for name in changing[-2:])
        raise UsageError(f"{one} and {other} contradict each other: first the one, then the other")
    if options.exit_non_zero_on_fix and not options.fix:
        raise UsageError("--exit-non-zero-on-fix is for --fix")
    if options.diff and options.statistics:
        raise UsageError("--diff and --statistics contradict each other")
    if options.prove and not options.fix and not options.diff:
        raise UsageError("--prove is for --fix or --diff: it proves fixes before they are made")
    return bool(options.fix or options.diff)


class Outcome:
    """What fixing many files came to.

    `in_files`: the fixed sources are written back. `prover` judges each fix, and `on_proof` is told of it before. What
    `baseline` lists is left alone.
    """

    def __init__(
        self,
        unsafe: bool,
        in_files: bool,
        prover: Prover | None = None,
        baseline: Baseline | None = None,
    ) -> None:
        self.unsafe = unsafe
        self.in_files = in_files
        self.prover = prover
        self.on_proof: Callable[[Diagnostic], None] = lambda finding: None
        self.baseline = baseline
        self.fixed = 0
        self.failed = False
        self.diffs: list[str] = []

    def unknown(self, filename: str, source: bytes, found: list[Diagnostic]) -> list[Diagnostic]:
        """Those of a file's findings that no baseline lists; `source` is its program."""
        return found if self.baseline is None else self.baseline.unknown(filename, source, found)


def fix_all(
    targets: Sequence[Target], findings: Sequence[Diagnostic], texts: dict[str, bytes], outcome: Outcome
) -> list[Diagnostic]:
    """Fix the files that the findings stand in, and return what remains. `texts` holds what is not on disk."""
    remaining: list[Diagnostic] = []
    for target, source, found in edits.by_file(targets, findings, texts):
        new = outcome.unknown(target.filename, reading.program(target.filename, source), found)
        if not any(allowed(one, outcome.unsafe) for one in new):
            remaining += found
            continue
        fixed, left, count, diff = _fix(target, source, outcome)
        if fixed != source:
            outcome.diffs.append(diff)
            if target.filename in texts:
                texts[target.filename] = fixed
            elif outcome.in_files and not _write(target, source, fixed):
                outcome.failed = True
                remaining += found
                continue
        outcome.fixed += count
        remaining += left
    return remaining


def allowed(one: Diagnostic, unsafe: bool) -> bool:
    """Whether the finding has a fix that may be applied."""
    plan = one.plan
    return plan is not None and one.fix_refused is None and (unsafe or plan.applicability == "safe")


def hints(findings: Sequence[Diagnostic], unsafe: bool, fixing: bool) -> list[str]:
    """The line under the summary that tells which options would fix more, as Ruff words it."""
    fixable = 0 if fixing else sum(allowed(one, unsafe) for one in findings)
    hidden = 0 if unsafe else sum(allowed(one, True) and not allowed(one, False) for one in findings)
    fixes = f"{hidden} hidden fix{'es' if hidden != 1 else ''} can be enabled with"
    if fixable:
        more = f" ({fixes} the `--unsafe-fixes` option)" if hidden else ""
        return [f"[*] {fixable} fixable with the `--fix` option{more}."]
    return [f"No fixes available ({fixes} the `--unsafe-fixes` option)."] if hidden else []


def _fix(target: Target, source: bytes, outcome: Outcome) -> tuple[bytes, list[Diagnostic], int, str]:
    """The fixed file, what remains in it, how many fixes were made, and the difference."""
    from ..fixes.apply import fix_source

    filename, settings = target.filename, target.settings
    read = reading.reading(filename, source)
    done = fix_source(
        read.source,
        lambda text, found: outcome.unknown(
            filename, text, pipeline.shown(filename, text, list(found), settings)
        ),
        edits.trial(target, read),
        outcome.unsafe,
        _judge(read, outcome),
    )
    fixed = read.written(done.source)
    remaining = pipeline.examine(filename, fixed, settings)
    for one in remaining:
        why = done.refused.get((one.code, one.location.row, one.location.column))
        if why is not None:
            one.plan, one.fix_refused = None, why
    return fixed, remaining, sum(done.counts.values()), read.diff(filename, done.source)


def _judge(read: Reading, outcome: Outcome) -> Callable[..., str | None] | None:
    """Who says why a fix is not to be made, where somebody is to prove it."""
    prover = outcome.prover
    if prover is None or read.not_run:
        return None if prover is None else lambda *_: read.not_run

    def judge(finding: Diagnostic, before: bytes, after: bytes, change: Sequence[Edit]) -> str | None:
        outcome.on_proof(finding)
        return prover.judge(finding, before, after, change)

    return judge


def _write(target: Target, before: bytes, source: bytes) -> bool:
    from ..fixes.files import write

    try:
        write(target.filename, before, source, target.settings.root)
    except OSError as error:
        complain(f"{target.filename} cannot be written: {error.strerror or error}")
        return False
    return True


def ignore_all(targets: Sequence[Target], findings: Sequence[Diagnostic]) -> tuple[list[Diagnostic], bool]:
    """Writes a comment at each finding that ignores it; those that remain, and whether each file could be written."""
    from ..checks import registry
    from ..fixes.ignore import ignored
    from ..project.suppressions import suppress

    kept = {
        *registry.ALWAYS,
        "IPL001",
    }  # what was not read is not waved through, and no comment needs a comment
    remaining = [one for one in findings if one.code in kept]
    findings = [one for one in findings if one.code not in kept]
    files, failed = 0, False
    for target, source, found in edits.by_file(targets, findings, {}):
        try:
            file = reading.reading(target.filename, source)
            text, left = ignored(file.source, found)
            changed = file.written(text)
        except Refused as refusal:
            complain(f"{target.filename}: {refusal}")
            remaining += found
            continue
        said = suppress(target.filename, text, [one for one in found if one not in left], lambda _: None)
        left += [one for one in said if one.code != "IPL001"]
        files += changed != source
        if changed != source and not _write(target, source, changed):
            left, failed = found, True
        remaining += left
    done = len(findings) - sum(one.code not in kept for one in remaining)
    print(f"Ignored {_counted(done, 'finding')} by comments in {_counted(files, 'file')}.", file=sys.stderr)
    return remaining, failed


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
