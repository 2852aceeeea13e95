"""Runs the blocks of findings in child processes and gives each finding a verdict."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..fixes.text import apply
from ..model import Diagnostic, Location, Refused
from ..project import Project
from ..report.source import decode
from . import judged
from .child import Children, Job, Limits, Outcome
from .enclosing import enclosing, imported_as
from .proving import answered, comparison
from .stacks import absolute
from .verdicts import BY_PROGRAM, LEFT, VARIED, Verdict, best, undecided

_ONLY = re.compile(r"\(on (\w+)\)$")
#: The job that decides each family of rules by running the block; 4xx findings are decided by their fix instead.
_BY_BLOCK = (
    (re.compile(r"IPL1|IPL20[1-3]"), "inplace_lint.runtime.blocks:examine"),
    (re.compile(r"IPL20[4-6]"), "inplace_lint.runtime.unnoticed:examine"),
    (re.compile(r"IPL5"), "inplace_lint.runtime.meant:examine"),
)
_BY_REWRITE = re.compile(r"IPL4")


def confirm(
    findings: Sequence[Diagnostic],
    children: Children,
    projects: Mapping[str, Project],
    factories: Mapping[str, str] | None = None,
    captured: Mapping[str, Any] | None = None,
    device: str | None = None,
) -> Iterator[tuple[int, Verdict]]:
    """Yields the index and the verdict of each finding that a run can decide, as the jobs end.

    `projects` maps each file to its project. Findings of one block share its runs. A memory finding (4xx) is decided
    by comparing its fix with the original, or, if it has no edits, by the bytes that its lines hold at the peak.
    `device` is where blocks run; None: a GPU if there is one.
    """
    plan = _Plan(projects, dict(factories or {}), dict(captured or {}), device, children.limits)
    for index, one in enumerate(findings):
        plan.add(index, one)
    jobs, readers = plan.jobs()
    before: dict[int, Outcome] = {}
    for number, outcome in children.run(jobs, lambda number, outcome: _in_calls(jobs[number], outcome)):
        if number not in before and _in_calls(jobs[number], outcome) is not None:
            before[number] = outcome
        else:
            yield from readers[number]([one for one in (before.get(number), outcome) if one is not None])


def _in_calls(job: Job, outcome: Outcome) -> Job | None:
    """Returns the job that decides by calls alone what the programs of the file left open, or died of; None if nothing.

    A program may leave a process in a state in which calls run no more, by its default dtype for instance.
    """
    if job.arguments.get("part") != "programs":
        return None
    died = outcome.kind is not None and BY_PROGRAM in outcome.stage
    if not died and outcome.stage != LEFT:
        return None
    return Job(job.function, {**job.arguments, "part": "calls"})


class _Plan:
    """Groups findings by the job that decides them."""

    def __init__(
        self,
        projects: Mapping[str, Project],
        factories: dict[str, str],
        captured: dict[str, Any],
        device: str | None,
        limits: Limits,
    ) -> None:
        self._projects = projects
        self._factories = factories
        self._captured = captured
        self._device = device
        self._limits = limits
        self._texts: dict[str, str] = {}
        self._blocks: dict[tuple[str, str, tuple[str, ...]], list[tuple[int, Diagnostic]]] = {}
        self._jobs: list[Job] = []
        self._readers: list[Callable[[Sequence[Outcome]], Iterator[tuple[int, Verdict]]]] = []

    def add(self, index: int, one: Diagnostic) -> None:
        """Adds a finding; one that no run can decide is ignored."""
        for codes, function in _BY_BLOCK:
            if codes.match(one.code):
                file = one.location.filename
                names = enclosing(self._text(file), one.location.row)
                self._blocks.setdefault((function, file, names), []).append((index, one))
        if _BY_REWRITE.match(one.code):
            self._rewrite(index, one)

    def jobs(self) -> tuple[list[Job], list[Callable[[Sequence[Outcome]], Iterator[tuple[int, Verdict]]]]]:
        """Returns all jobs, each with the function that turns its outcome into verdicts."""
        for (function, file, names), members in self._blocks.items():
            arguments = {
                **imported_as(file, self._projects[file]),
                "names": list(names),
                "factories": self._factories,
                "captured": self._captured,
                "findings": [_plain(one) for _, one in members],
                "device": self._device,
                "seconds": self._limits.seconds,
                "memory": self._limits.memory,
                "part": "programs",
            }
            self._jobs.append(Job(function, arguments))
            self._readers.append(partial(_shared, members=members))
        return self._jobs, self._readers

    def _rewrite(self, index: int, one: Diagnostic) -> None:
        file = one.location.filename
        before = self._text(file)
        project = self._projects[file]
        try:
            edits = one.fix.edits if one.fix is not None else ()
            after = apply(before, edits)
        except Refused:
            edits, after = (), before
        job = comparison(one, before, after, edits, project, self._factories, self._captured)
        if edits:
            self._jobs.append(job)
            self._readers.append(lambda outcomes: iter([(index, judged.rewrite(answered(outcomes[-1])))]))
            return
        rows = {row for place in _places(one) for row in range(place.row, place.end_row + 1)}
        arguments = {**job.arguments, "rows": sorted(rows)}
        self._jobs.append(Job("inplace_lint.runtime.rewrites:growth", arguments))
        self._readers.append(lambda outcomes: iter([(index, _grown(outcomes[-1]))]))

    def _text(self, file: str) -> str:
        if file not in self._texts:
            try:
                with open(file, "rb") as stream:
                    self._texts[file] = decode(stream.read())
            except OSError:
                self._texts[file] = ""
        return self._texts[file]


def _shared(
    outcomes: Sequence[Outcome], members: Sequence[tuple[int, Diagnostic]]
) -> Iterator[tuple[int, Verdict]]:
    for place, (index, _) in enumerate(members):
        verdicts: list[Verdict] = []
        for outcome in outcomes:
            if outcome.kind is None:
                verdicts.append(outcome.result[place])
            else:
                # Keep the verdicts of runs that ended before a later run failed.
                verdicts += [outcome.known[place]] if outcome.known else []
                # That other inputs failed is no reason for what was undecided before.
                if not (verdicts and VARIED in outcome.stage):
                    verdicts.append(_failed(outcome))
        yield index, best(verdicts)


def _grown(outcome: Outcome) -> Verdict:
    return judged.growth(outcome.result) if outcome.kind is None else _failed(outcome)


def _failed(outcome: Outcome) -> Verdict:
    stage = "" if outcome.kind == "start" else f" (in {outcome.stage})"
    return undecided(f"{outcome.text}{stage}")


def _places(one: Diagnostic) -> list[Location]:
    """Returns the place of a finding and its labels' places in the same file."""
    own = one.location.filename
    return [one.location, *(label.location for label in one.labels if label.location.filename == own)]


def _plain(finding: Diagnostic) -> dict[str, Any]:
    """Returns the parts of a finding that the child needs, as JSON: code, rows of writes and saves, device."""
    saves = [label for label in finding.labels if label.role in ("save", "softmax")]
    writes = [finding.location, *(label.location for label in finding.labels if label.role == "write")]
    only = next((found[1] for label in saves if (found := _ONLY.search(label.message))), None)
    return {
        "code": finding.code,
        "writes": [_span(one) for one in writes],
        "saves": [_span(label.location) for label in saves],
        "only": only,
    }


def _span(place: Location) -> list[Any]:
    return [absolute(place.filename), place.row, place.end_row]
