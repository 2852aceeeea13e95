"""The whole page: what was found, filters, each finding with its code, its fix and its verdict, and the rules."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ... import __version__
from ...model import Diagnostic, Location
from ..findings import advice
from ..hunks import Hunk, hunks
from . import rules
from .frame import frames
from .text import plain, plural, source, words
from .verdict import section

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..findings import Findings

_SEVERITIES = ("error", "warning", "note")


def document(findings: Findings) -> str:
    """One page that loads nothing. Without scripts it shows all findings by file; with them it filters and groups."""
    found = findings.diagnostics
    parts = [
        _header(findings),
        _filters(findings) if found else "",
        '<div class="columns">',
        _index(findings) if found else "",
        f'<main id="findings" data-by="file">{_groups(findings) if found else ""}</main></div>',
        rules.section(one.code for one in found) if found else "",
        f"<footer><p>Written by inplace-lint {__version__}.</p></footer>",
    ]
    title = f"inplace-lint: {plural(len(found), 'finding')}"
    page = _page(title, "\n".join(part for part in parts if part))
    # Whatever it is written as, it is read as it was meant.
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


def _page(title: str, body: str) -> str:
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "page.css"), encoding="ascii") as style:
        css = style.read()
    with open(os.path.join(here, "page.js"), encoding="ascii") as script:
        js = script.read()
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{css}</style>
</head>
<body>
{body}
<script>
{js}</script>
</body>
</html>
"""


# What stands above the findings


def _header(findings: Findings) -> str:
    found = findings.diagnostics
    counts = [
        plural(count, name) for name in _SEVERITIES if (count := sum(one.severity == name for one in found))
    ]
    told = " and ".join(filter(None, (", ".join(counts[:-1]), *counts[-1:]))) or "Nothing found"
    lines = [f"<p class='total'>{told} in {plural(len(findings.files), 'file')}.</p>"]
    if findings.kept_back:
        lines.append(f"<p>Not shown: {findings.kept_back}.</p>")
    if findings.verdicts is not None:
        statuses = [one["status"] for one in findings.verdicts.values()]
        each = [f"{statuses.count(name)} {name}" for name in dict.fromkeys(statuses)]
        rest = len(found) - len(statuses)
        each += [f"{rest} not run"] if rest else []
        lines.append(f"<p>The code was run: {', '.join(each) or 'nothing to run'}.</p>")
    gaps = [
        (plural(sum(one.code == code for one in found), noun), rest)
        for code, noun, rest in (
            ("IPL000", "file", "that cannot be read"),
            ("IPL002", "file", "on which inplace-lint failed"),
            ("IPL003", "part", "not analysed to the end"),
        )
        if any(one.code == code for one in found)
    ]
    missing = [f"{count} {rest}" for count, rest in gaps]
    if findings.ended:
        missing.append(f"the run was ended by {plain(findings.ended)}")
    if missing:
        lines.append(f"<p class='gaps'>Not everything was checked: {'; '.join(missing)}.</p>")
    skip = '<a class="skip" href="#findings">To the findings</a>'
    return f"{skip}<header><h1>inplace-lint</h1>{''.join(lines)}</header>"


def _filters(findings: Findings) -> str:
    """The form that scripts make work; without them it stays hidden."""
    found = findings.diagnostics
    severities = [name for name in _SEVERITIES if any(one.severity == name for one in found)]
    codes = sorted({one.code for one in found})
    fixes = [name for name in ("safe", "unsafe", "none") if any(_fixable(one) == name for one in found)]
    groups = [
        _boxes("severity", "Severity", [(name, name) for name in severities]),
        _boxes("code", "Rule", [(code, code) for code in codes]),
        _boxes("fix", "Fix", [(name, "no fix" if name == "none" else name) for name in fixes]),
    ]
    if findings.verdicts is not None:
        statuses = {one["status"] for one in findings.verdicts.values()}
        shown = [name for name in ("confirmed", "refuted", "spurious", "inconclusive") if name in statuses]
        shown += ["not run"] if len(findings.verdicts) < len(found) else []
        groups.append(_boxes("verdict", "Verdict", [(name, name) for name in shown]))
    by = "".join(
        f'<label><input type="radio" name="by" value="{value}"{" checked" if value == "file" else ""}>{value}</label>'
        for value in ("file", "rule")
    )
    return f"""<form id="filters" hidden aria-label="Filter the findings">
<p class="search"><label for="search">Search</label> <input type="search" id="search" autocomplete="off"></p>
<fieldset><legend>Group by</legend>{by}</fieldset>
<details id="more" open><summary>Filters</summary>{"".join(groups)}</details>
<p><output id="shown"></output> <button type="button" id="all">Show all</button></p>
<p class="keys">Among the findings, <kbd>j</kbd> and <kbd>k</kbd> go to the next and the one before, <kbd>f</kbd> shows
the fix, <kbd>/</kbd> searches.</p>
</form>"""


def _boxes(name: str, legend: str, options: Iterable[tuple[str, str]]) -> str:
    boxes = "".join(
        f'<label><input type="checkbox" name="{name}" value="{value}" checked>{text}</label>'
        for value, text in options
    )
    return f"<fieldset><legend>{legend}</legend>{boxes}</fieldset>"


# The findings


def _by_file(findings: Findings) -> dict[str, list[int]]:
    files: dict[str, list[int]] = {}
    for index, one in enumerate(findings.diagnostics):
        files.setdefault(one.location.filename, []).append(index)
    return files


def _index(findings: Findings) -> str:
    rows = [
        f'<li><a href="#group-{number}">{plain(name)}</a> <span>{len(indices)}</span></li>'
        for number, (name, indices) in enumerate(_by_file(findings).items(), 1)
    ]
    return f'<nav aria-label="Groups"><ul>{"".join(rows)}</ul></nav>'


def _groups(findings: Findings) -> str:
    parts = []
    for number, (name, indices) in enumerate(_by_file(findings).items(), 1):
        head = f'<h2 id="group-{number}" tabindex="-1">{plain(name)}</h2>'
        articles = "\n".join(_article(findings, index) for index in indices)
        parts.append(f'<section aria-labelledby="group-{number}">{head}\n{articles}</section>')
    return "\n".join(parts)


def _fixable(one: Diagnostic) -> str:
    return "none" if one.fix is None else one.fix.applicability


def _place(place: Location) -> str:
    cell = "" if place.cell is None else f"cell {place.cell}:"
    return f"{cell}{place.row}:{place.column}"


def _article(findings: Findings, index: int) -> str:
    one, verdict = findings.diagnostics[index], findings.verdict(index)
    place = one.location
    name = f"f-{findings.fingerprints[index]}"
    status = "not run" if verdict is None else str(verdict["status"])
    data = {"severity": one.severity, "code": one.code, "fix": _fixable(one), "verdict": status}
    data |= {"file": place.filename, "rule": f"{one.code} {one.name}"}
    listed = " ".join(f'data-{key}="{plain(value)}"' for key, value in data.items())
    told = "".join(
        f"<p class='advice'><b>{plain(head.rstrip(':'))}</b> {words(text)}</p>" for head, text in advice(one)
    )
    return f"""<article id="{name}" tabindex="-1" aria-labelledby="{name}-h" {listed}>
<h3 id="{name}-h"><span class="badge {one.severity}">{one.severity}</span> <a href="#rule-{one.code}">{one.code}</a>
{plain(one.name)}
<a class="place" href="#{name}"><span class="path">{plain(place.filename)}:</span>{_place(place)}</a></h3>
<p class="message">{words(one.message)}</p>
{frames(one, findings.sources)}
{told}<p class="confidence">Confidence: {one.confidence}.</p>
{_fix(one, findings)}{section(verdict)}</article>"""


def _fix(one: Diagnostic, findings: Findings) -> str:
    if one.fix is None:
        return ""
    lines = "".join(_changed(hunk) for hunk in hunks(one.fix, findings.sources))
    label = f"The {one.fix.applicability} fix of line {one.location.row}"
    return (
        f"<details><summary>{one.fix.applicability} fix</summary>"
        f'<pre class="code" role="group" tabindex="0" aria-label="{label}">{lines}</pre></details>\n'
    )


def _changed(hunk: Hunk) -> str:
    """A hunk as a diff has it; lines at its ends that stay are context."""
    old, new = hunk.old, hunk.new
    most = min(len(old), len(new))
    head = next((n for n in range(most) if old[n] != new[n]), most)
    tail = next((n for n in range(most - head) if old[-1 - n] != new[-1 - n]), most - head)
    where = f"line {hunk.row}" if hunk.cell is None else f"cell {hunk.cell}, line {hunk.row}"
    rows = [f'<span class="at">@@ {where} @@</span>\n']
    rows += [f"  {source(line)}\n" for line in old[:head]]
    rows += [f"<del>- {source(line)}\n</del>" for line in old[head : len(old) - tail]]
    rows += [f"<ins>+ {source(line)}\n</ins>" for line in new[head : len(new) - tail]]
    rows += [f"  {source(line)}\n" for line in old[len(old) - tail :]]
    return "".join(rows)
