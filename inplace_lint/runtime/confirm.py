"""Runs the blocks of findings in child processes and gives each finding a verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model import Diagnostic, Location
from ..project import Project
from .child import Children, Job
from .enclosing import enclosing, imported_as
from .stacks import absolute

#: What a run can decide: hazards. The rest is about files, memory or style of a call.
_RUNNABLE = re.compile(r"IPL[12]")
_ONLY = re.compile(r"\(on (\w+)\)$")

Verdict = dict[str, Any]


def confirm(
    findings: Sequence[Diagnostic],
    children: Children,
    projects: Mapping[str, Project],
    factories: Mapping[str, str] | None = None,
) -> Iterator[tuple[int, Verdict]]:
    """The verdict on each finding that a run can decide, with its index, as they come.

    `projects` says for each file which project it belongs to. Findings of one block share its runs.
    """
    blocks: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    sources: dict[str, str] = {}
    for index, one in enumerate(findings):
        if not _RUNNABLE.match(one.code):
            continue
        file = one.location.filename
        if file not in sources:
            sources[file] = _read(file)
        blocks.setdefault((file, enclosing(sources[file], one.location.row)), []).append(index)
    jobs, members = [], []
    for (file, names), indices in blocks.items():
        members.append(indices)
        arguments = {
            **imported_as(file, projects[file]),
            "names": list(names),
            "factories": dict(factories or {}),
            "findings": [_plain(findings[index]) for index in indices],
        }
        jobs.append(Job("inplace_lint.runtime.blocks:examine", arguments))
    for number, outcome in children.run(jobs):
        for place, index in enumerate(members[number]):
            if outcome.kind is None:
                yield index, outcome.result[place]
            else:
                stage = "" if outcome.kind == "start" else f" (in {outcome.stage})"
                yield index, undecided(f"{outcome.text}{stage}")


def undecided(reason: str) -> Verdict:
    """The verdict where nothing could be run."""
    return {
        "status": "inconclusive",
        "reason": reason,
        "inputs": {},
        "device": None,
        "conflicts": [],
        "peak": None,
        "proof": None,
    }


def _plain(finding: Diagnostic) -> dict[str, Any]:
    """What the child needs to know of a finding."""
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


def _read(file: str) -> str:
    from ..report.source import decode

    try:
        with open(file, "rb") as stream:
            return decode(stream.read())
    except OSError:
        return ""
