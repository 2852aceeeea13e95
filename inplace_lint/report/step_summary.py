"""Writes the table of all findings on a GitHub workflow's summary page; annotations stop after the first ten."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..checks import registry
from .places import in_repository, readable
from .style import code_spans, safe

if TYPE_CHECKING:
    from ..model import Location
    from .findings import Findings

#: GitHub refuses a summary of more than 1 MiB.
_MOST = 500_000


def document(findings: Findings) -> str:
    """Markdown: what was found, by rule, then each finding with a link to its line."""
    found = findings.diagnostics
    files = f"{len(findings.files)} file{'s' if len(findings.files) != 1 else ''}"
    more = f" Not shown: {findings.kept_back}." if findings.kept_back else ""
    if not found:
        return f"### inplace-lint\n\nAll checks passed in {files}.{more}\n\n"
    count = f"{len(found)} finding{'s' if len(found) != 1 else ''}"
    counts: dict[str, int] = {}
    for one in found:
        counts[one.code] = counts.get(one.code, 0) + 1
    lines = [
        "### inplace-lint",
        "",
        f"{count} in {files}.{more}",
        "",
        "| rule | what it finds | findings |",
        "|---|---|--:|",
    ]
    for rule in registry.every():
        if rule.code in counts:
            address = registry.published(rule.code)
            code = f"[{rule.code}]({address})" if address else rule.code
            lines.append(f"| {code} {rule.name} | {_cell(rule.summary)} | {counts[rule.code]} |")
    lines += ["", "| place | | what happens |", "|---|---|---|"]
    size = 0
    for index in range(len(found)):
        row = _row(findings, index)
        size += len(row.encode("utf-8", "replace"))
        if size > _MOST:
            lines += ["", f"And {len(found) - index} more, which the log of this step lists."]
            break
        lines.append(row)
    return "\n".join([*lines, "", f"More of a rule: `inplace-lint rule {max(counts)}`", "", ""])


def _row(findings: Findings, index: int) -> str:
    one = findings.diagnostics[index]
    place = one.location
    told = [f"{_cell(findings.message(index))}"]
    for label in one.labels:
        at = label.location
        said = at.within or at
        text = f"line {said.row}" if said.path == (place.within or place).path else f"{said.path}:{said.row}"
        told.append(f"{_link(at, text)}: {_cell(label.message)}")
    said = place.within or place
    head = _link(place, f"{said.path}:{said.row}")
    return f"| {head} | {findings.severity(index)} {one.code} | {'<br>'.join(told)} |"


def _link(place: Location, text: str) -> str:
    """A place, linked to the line of the commit that is checked where the workflow says which it is."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    server, repository, commit = (os.environ.get(name, "") for name in names)
    path = in_repository(place.filename, "GITHUB_WORKSPACE")
    if not (server and repository and commit) or os.path.isabs(path):
        return _cell(text)
    from urllib.parse import quote

    return f"[{_cell(text)}]({server}/{repository}/blob/{commit}/{quote(os.fsencode(path))}#L{place.row})"


#: What Markdown or HTML would take for more than text.
_MARKS = {ord(mark): f"&#{ord(mark)};" for mark in "\\`*_[]()|~<>&#!@"}


def _cell(text: str) -> str:
    parts = [part.translate(_MARKS) for part in code_spans(readable(safe(text)))]
    return "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
