"""Renders measurements as one HTML page of plots, tables and findings, without network access or scripts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ...report.sizes import size_of
from ..peak.account import KINDS
from ..peak.lines import Line
from . import chart, table
from .sweep import Row, Series, Settings, relative, said_size

#: The number of source lines that get a colour in a timeline.
_COLOURS = 6

#: A finding with its verdict, in the form of `subject.said`.
Finding = Mapping[str, Any]


def page(series: Sequence[Series], settings: Settings, findings: Sequence[Finding] = ()) -> str:
    """Returns the HTML document. `findings` are those of `check` in the targets, with verdicts."""
    names = [one.label for one in series]
    title = escape(" against ".join(map(os.path.basename, names)))
    parts = [f"<h1>{title}</h1><p>{escape(table.title(settings))}.</p>"]
    drawn = [one for one in series if one.measured]
    if drawn:
        parts.append(_growth(drawn, settings))
    parts += [_series(one, number, max(_largest(drawn), 1)) for number, one in enumerate(series)]
    parts.append(_findings(findings))
    return _DOCUMENT.replace("{title}", title).replace("{style}", _STYLE).replace("{body}", "\n".join(parts))


def _growth(series: Sequence[Series], settings: Settings) -> str:
    curves = {one.label: [(size, peak.total) for size, peak in one.measured] for one in series}
    device = settings.device if settings.method == "predict" else None
    limit = (f"{device.name}: {device.memory} GiB", device.memory << 30) if device else None
    keys = "".join(
        f'<span class="key"><i class="s{number}"></i>{escape(one.label)}'
        f"{'' if one.exponent is None else ', ' + _power(one.exponent)}</span>"
        for number, one in enumerate(series)
    )
    text = ""
    if len(series) == 2:
        first, second = (dict(one.measured) for one in series)
        common = sorted(first.keys() & second.keys())
        if common:
            old, new = first[common[-1]].total, second[common[-1]].total
            text = (
                f"<p class='big'>{size_of(old)} → {size_of(new)} {said_size(common[-1])}"
                f" <span>{table.ratio(old, new)}</span></p>"
            )
    if len(series) == 1:
        size, peak = series[0].measured[-1]
        text = f"<p class='big'>{size_of(peak.total)} {said_size(size)}</p>"
    if not any(len(curve) > 1 for curve in curves.values()):
        return f"<section><h2>Peak</h2>{text}<p class='keys'>{keys}</p></section>"
    return f"<section><h2>Peak against S</h2>{text}{chart.growth(curves, limit)}<p class='keys'>{keys}</p></section>"


def _series(one: Series, number: int, highest: int) -> str:
    inputs = ", ".join(f"{name} = {value}" for name, value in one.inputs.items())
    parts = [
        f'<section><h2><i class="s{number}"></i>{escape(one.label)}</h2>',
        f"<p>Inputs from {escape(table.SOURCES[one.source])}: <code>{escape(inputs)}</code></p>",
    ]
    if one.form:
        parts.append(f"<p>The peak is exactly <b>{escape(one.form)}</b> bytes.</p>")
    parts.append(_sizes(one, highest))
    if one.measured and one.rows:
        size, peak = one.measured[-1]
        rows = [row for row in sorted(one.rows, key=lambda row: -row.values[size]) if row.line is not None]
        colours: dict[Line | None, int] = {row.line: place for place, row in enumerate(rows[:_COLOURS])}
        if peak.curve:
            parts.append(
                f"<h3>Memory over one run {said_size(size)}</h3>{chart.timeline(peak, colours, peak.total)}"
            )
        parts.append(_lines(rows, colours, size, peak.total))
    return "".join(parts) + "</section>"


def _sizes(one: Series, highest: int) -> str:
    timed = any(point.seconds is not None for point in one.points)
    held = any(point.reserved is not None for point in one.points)
    head = (
        "<th>S</th><th>peak</th><th class='wide'>made of</th>"
        + "<th>reserved</th>" * held
        + "<th>time</th>" * timed
    )
    rows = []
    for point in one.points:
        if point.peak is None:
            rows.append(
                f"<tr><td>{point.size or '-'}</td><td colspan='4' class='text'>{escape(point.failure)}</td></tr>"
            )
            continue
        cells = f"<td>{point.size or '-'}</td><td>{size_of(point.peak.total)}</td>"
        cells += f"<td class='wide'>{chart.bar(point.peak.kinds, point.peak.total)}</td>"
        cells += (
            f"<td>{size_of(point.reserved)}</td>" * held + f"<td>{table.duration(point.seconds)}</td>" * timed
        )
        rows.append(f"<tr>{cells}</tr>")
    used = [kind for kind in KINDS if any(peak.kinds[kind] for _, peak in one.measured)]
    forms = {kind: one.kinds.get(kind, "") for kind in used}
    keys = "".join(
        f'<span class="key"><i class="{kind}"></i>{_KIND[kind]}{": " + escape(form) if form else ""}</span>'
        for kind, form in forms.items()
    )
    return (
        f"<div class='scroll'><table><tr>{head}</tr>{''.join(rows)}</table></div><p class='keys'>{keys}</p>"
    )


_KIND = {
    "parameters": "parameters",
    "gradients": "gradients",
    "optimizer": "optimizer's state",
    "inputs": "inputs",
    "kept": "kept for backward",
    "temporary": "temporary",
}


def _lines(rows: Sequence[Row], colours: dict[Line | None, int], size: int, total: int) -> str:
    out = []
    for row in rows:
        value = row.values[size]
        if row.line is None or value < 0.005 * total:
            continue
        mark = f'<i class="l{colours[row.line]}"></i>' if row.line in colours else "<i></i>"
        text = escape(row.text)
        growth = "" if row.exponent is None else _power(row.exponent)
        out.append(
            f"<tr class='place'><td class='text'>{mark}{escape(relative(row.line))}</td>"
            f"<td>{size_of(value)}, {100 * value / total:.0f}%</td><td>{growth}</td></tr>"
            f"<tr><td class='text' colspan='2'><code>{text}</code></td><td>{escape(row.form)}</td></tr>"
        )
    head = "<th class='text'>source line</th><th>alive at the peak</th><th>growth</th>"
    return f"<div class='scroll'><table><tr>{head}</tr>{''.join(out)}</table></div>" if out else ""


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return "<section><h2>Findings</h2><p>inplace-lint check finds nothing in what was measured.</p></section>"
    items = []
    for one in findings:
        labels = "".join(f"<li>{escape(label)}</li>" for label in one["labels"])
        status, colon, reason = one["verdict"].partition(": ")
        verdict = f"<b class='{escape(status)}'>{escape(status)}</b>{escape(colon + reason)}"
        items.append(
            f"<article><p><b class='{one['severity']}'>{one['severity']} {one['code']}</b> {escape(one['place'])}</p>"
            f"<p>{escape(one['message'])}</p><ul>{labels}</ul><p class='verdict'>{verdict}</p></article>"
        )
    return f"<section><h2>Findings</h2>{''.join(items)}</section>"


def _power(exponent: float) -> str:
    text = table.power(exponent)
    base, _, power = text.partition("^")
    return f"{base}<sup>{power}</sup>" if power else text


_DOCUMENT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
{body}
<footer>Written by inplace-lint measure.</footer>
</body>
</html>
"""

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6575; --rule: #dde2ea; --page: #fff; --area: #c9d8ee;
  --s0: #c2410c; --s1: #0f766e; --l0: #c2410c; --l1: #2563eb; --l2: #7c3aed; --l3: #0f766e; --l4: #b45309;
  --l5: #be185d;
  --lasts: #64748b; --gradients: #94a3b8; --optimizer: #475569; --inputs: #a3b763; --kept: #2563eb;
  --temporary: #f59e0b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa5b5; --rule: #333b47;
  --page: #151a21; --area: #2c415f;
  --s0: #fb923c; --s1: #2dd4bf; --l0: #fb923c; --l1: #60a5fa; --l2: #a78bfa; --l3: #2dd4bf; --l4: #fbbf24;
  --l5: #f472b6;
  --kept: #60a5fa; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 46rem;
  margin: 0 auto;
  padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: .5rem 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
code { font: .85em/1.4 ui-monospace, monospace; } sup { line-height: 0; }
.big { font-size: 1.3rem; font-weight: 600; margin: .25rem 0; } .big span { color: var(--s1);
  white-space: nowrap; }
.plot { width: 100%; max-width: 40rem; height: auto; display: block; font: 12px system-ui, sans-serif; }
.grid { stroke: var(--rule); } .phase { stroke: var(--soft); stroke-dasharray: 3 3; }
.limit { stroke: var(--soft); stroke-dasharray: 6 4; }
.tick { fill: var(--soft); } .value { fill: var(--ink); font-weight: 600; }
.curve { fill: none; stroke-width: 2.5; } .area { fill: var(--area); stroke: none; }
.curve.s0 { stroke: var(--s0); } .curve.s1 { stroke: var(--s1); }
.dot { stroke: var(--page); stroke-width: 1.5; } .dot.s0, .dot.top { fill: var(--s0); }
  .dot.s1 { fill: var(--s1); }
rect.l0 { fill: var(--l0); } rect.l1 { fill: var(--l1); } rect.l2 { fill: var(--l2); } rect.l3 { fill: var(--l3); }
rect.l4 { fill: var(--l4); } rect.l5 { fill: var(--l5); }
rect.parameters { fill: var(--lasts); } rect.gradients { fill: var(--gradients); }
  rect.optimizer { fill: var(--optimizer); }
rect.inputs { fill: var(--inputs); } rect.kept { fill: var(--kept); } rect.temporary { fill: var(--temporary); }
i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px; }
i.s0 { background: var(--s0); } i.s1 { background: var(--s1); }
i.l0 { background: var(--l0); } i.l1 { background: var(--l1); } i.l2 { background: var(--l2); }
i.l3 { background: var(--l3); } i.l4 { background: var(--l4); } i.l5 { background: var(--l5); }
i.parameters { background: var(--lasts); } i.gradients { background: var(--gradients); }
i.optimizer { background: var(--optimizer); } i.inputs { background: var(--inputs); }
i.kept { background: var(--kept); } i.temporary { background: var(--temporary); }
.bar { width: 100%; min-width: 5rem; height: .8rem; display: block; border-radius: 2px; }
.keys { margin: .4rem 0; font-size: .9rem; } .key { display: inline-block; margin-right: 1rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: right; padding: .3rem .5rem; border-bottom: 1px solid var(--rule); vertical-align: top;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th { color: var(--soft); font-weight: 500; } .text { text-align: left; white-space: normal; } .wide { width: 45%; }
tr.place td { white-space: nowrap; border-bottom: 0; padding-bottom: 0; } th.wide { text-align: left; }
td:first-child, th:first-child { padding-left: 0; } td:last-child, th:last-child { padding-right: 0; }
article { border-left: 3px solid var(--rule); padding-left: .8rem; margin: 1rem 0; }
  article p, article ul { margin: .2rem 0; }
.error { color: var(--s0); } .warning { color: var(--l4); } .verdict { color: var(--soft); }
  .confirmed { color: var(--s0); } .refuted, .spurious { color: var(--s1); }
footer { margin: 2rem 0 1rem; color: var(--soft); font-size: .85rem; }
"""


def _largest(series: Sequence[Series]) -> int:
    return max((peak.total for one in series for _, peak in one.measured), default=0)
