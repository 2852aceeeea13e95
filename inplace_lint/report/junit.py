"""JUnit's XML, which every CI system shows as tests: a suite for each file, and a failed test for each finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import advice
from .places import readable, slashed
from .style import safe

if TYPE_CHECKING:
    from .findings import Findings


def document(findings: Findings) -> str:
    """All files that were checked; one without findings is a test that passed, a note one that was skipped."""
    by_file: dict[str, list[int]] = {name: [] for name in findings.files}
    for index, one in enumerate(findings.diagnostics):
        by_file.setdefault(one.location.filename, []).append(index)
    suites = [_suite(findings, name, indices) for name, indices in by_file.items()]
    counts = [sum(column) for column in zip(*(counted for counted, _ in suites))] or [0] * 4
    head = f'<testsuites name="inplace-lint" {_attributes(counts[:3])}>'
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head]
    for _, text in suites:
        lines += text
    # Whatever it is written as, it is read as it was meant.
    return "\n".join([*lines, "</testsuites>", ""]).encode("ascii", "xmlcharrefreplace").decode("ascii")


_COUNTED = ("tests", "failures", "errors", "skipped")


def _attributes(counts: list[int]) -> str:
    return " ".join(f'{name}="{count}"' for name, count in zip(_COUNTED, counts))


def _suite(findings: Findings, filename: str, indices: list[int]) -> tuple[list[int], list[str]]:
    """The four counts of a file's suite, and its lines."""
    cases = [_case(findings, index) for index in indices]
    name = _quoted(slashed(filename))
    counts = [
        max(len(cases), 1),
        *(sum(kind == what for kind, _ in cases) for what in ("failure", "error", "skipped")),
    ]
    lines = [f'  <testsuite name="{name}" {_attributes(counts)}>']
    if not cases:
        lines.append(f'    <testcase name="no findings" classname="{name}"/>')
    return counts, [*lines, *(text for _, text in cases), "  </testsuite>"]


def _case(findings: Findings, index: int) -> tuple[str, str]:
    """What became of the test that is a finding, and its text."""
    one = findings.diagnostics[index]
    severity = findings.severity(index)
    # What could not be read or checked is an error of the test, not a failure of what it tests.
    kind = "skipped" if severity == "note" else "error" if one.code in ("IPL000", "IPL002") else "failure"
    place = one.location
    cell = "" if place.cell is None else f"cell {place.cell}:"
    name = f"{one.code} {one.name} at {cell}{place.row}:{place.column}"
    lines = [f"{slashed(place.path)}:{place.row}:{place.column}: {severity}: {findings.message(index)}"]
    lines += [
        f"{label.role}: {slashed(at.path)}:{at.row}:{at.column}: {label.message}"
        for label in one.labels
        for at in (label.location,)
    ]
    lines += [f"{head} {words}" for head, words in advice(one)]
    told = _text("\n".join(map(safe, lines)))
    head = f'    <testcase name="{_quoted(name)}" classname="{_quoted(slashed(place.filename))}">'
    tag = f'<{kind} type="{one.code}" message="{_quoted(findings.message(index))}">'
    return kind, f"{head}\n      {tag}{told}</{kind}>\n    </testcase>"


def _text(text: str) -> str:
    return readable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    """For an attribute, in which line ends would be read as blanks, and control characters as an error."""
    return _text(safe(text)).replace('"', "&quot;")
