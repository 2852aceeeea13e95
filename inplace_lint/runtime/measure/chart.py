"""Draws SVG plots: the peak against the size on logarithmic axes, and live memory over one run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from ...report.sizes import size_of
from ..peak.account import KINDS, Peak
from ..peak.lines import Line

#: Width and height in SVG units. The drawing scales to the page: on a phone a unit is a little less than a pixel.
WIDTH, HEIGHT = 440, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 14, 16, 40


def growth(curves: Mapping[str, Sequence[tuple[int, int]]], limit: tuple[str, int] | None = None) -> str:
    """Draws peaks against sizes, one curve for each name; `limit` is a named level, such as a GPU's memory."""
    points = [point for curve in curves.values() for point in curve]
    sizes = sorted({size for size, _ in points})
    values = [value for _, value in points]
    if limit is not None and limit[1] < 64 * max(values):
        values.append(limit[1])
    low, high = min(values), max(values)
    bottom, top = math.floor(math.log2(low)), math.ceil(math.log2(high) + 0.01)
    across = _scale(math.log2(sizes[0]), math.log2(sizes[-1]), _LEFT + 12, WIDTH - _RIGHT - 12)
    upward = _scale(bottom, top, HEIGHT - _BOTTOM, _TOP)
    parts = [_grid(bottom, top, upward)]
    for size in sizes:
        x = across(math.log2(size))
        parts.append(
            f'<text class="tick" x="{x:.1f}" y="{HEIGHT - _BOTTOM + 18}" text-anchor="middle">{size}</text>'
        )
    parts.append(f'<text class="tick" x="{WIDTH - _RIGHT}" y="{HEIGHT - 6}" text-anchor="end">S</text>')
    if limit is not None and limit[1] in values:
        y = upward(math.log2(limit[1]))
        parts.append(f'<line class="limit" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick" x="{_LEFT + 4}" y="{y - 4:.1f}">{escape(limit[0])}</text>')
    ends: list[float] = []
    for number, (name, curve) in enumerate(curves.items()):
        placed = [
            (across(math.log2(size)), upward(math.log2(value)), size, value) for size, value in sorted(curve)
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _, _ in placed)
        parts.append(f'<polyline class="curve s{number}" points="{path}"/>')
        for x, y, size, value in placed:
            title = f"{name}: S = {size}, {size_of(value)}"
            parts.append(
                f'<circle class="dot s{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{escape(title)}</title></circle>'
            )
        x, y, _, value = placed[-1]
        # Put the value above its curve, or below if another curve's value is near.
        below = any(abs(other - y) < 26 for other in ends)
        ends.append(y)
        parts.append(
            f'<text class="value" x="{x:.1f}" y="{y + (18 if below else -9):.1f}" text-anchor="end">'
            f"{size_of(value)}</text>"
        )
    return _svg(parts, "Peak memory against S, both axes logarithmic")


def timeline(peak: Peak, colours: Mapping[Line | None, int], highest: int) -> str:
    """Draws live bytes over one run, with a strip of the allocating lines below. `highest` is the top of the axis."""
    curve = peak.curve
    across = _scale(0, max(len(curve) - 1, 1), _LEFT, WIDTH - _RIGHT)
    floor = HEIGHT - _BOTTOM - 10
    upward = _scale(0, highest * 1.08, floor, _TOP)
    parts = []
    for step in range(5):
        value = highest * step / 4
        y = upward(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{size_of(round(value))}</text>'
        )
    path = [f"M{across(0):.1f},{floor}"]
    for moment, (live, _, _) in enumerate(curve):
        path.append(f"V{upward(live):.1f}H{across(min(moment + 1, len(curve) - 1)):.1f}")
    path.append(f"V{floor}Z")
    parts.append(f'<path class="area" d="{"".join(path)}"/>')
    parts += _phases(peak, across)
    parts += _strip(peak, colours, across, floor + 4)
    x, y = across(peak.top), upward(peak.total)
    shift, anchor = (-8, "end") if x > WIDTH / 2 else (8, "start")
    parts.append(f'<circle class="dot top" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
    parts.append(
        f'<text class="value" x="{x + shift:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">'
        f"{size_of(peak.total)}</text>"
    )
    return _svg(parts, "Live memory over one run")


def bar(kinds: Mapping[str, int], largest: int) -> str:
    """Draws a stacked bar of a peak's bytes by kind; `largest` bytes fill it."""
    x, parts = 0.0, []
    for kind in KINDS:
        width = 100 * kinds[kind] / max(largest, 1)
        if width > 0:
            title = f"{kind}: {size_of(kinds[kind])}"
            parts.append(
                f'<rect class="{kind}" x="{x:.2f}" y="0" width="{width:.2f}" height="10"><title>{title}</title></rect>'
            )
        x += width
    return f'<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'


def _phases(peak: Peak, across: _Scale) -> list[str]:
    """Draws a line at the begin of each phase, and the phase's name if there is room."""
    begins = [
        (moment, phase)
        for moment, (_, phase, _) in enumerate(peak.curve)
        if phase not in ("", "inputs") and (not moment or peak.curve[moment - 1][1] != phase)
    ]
    parts = []
    for (moment, phase), end in zip(begins, [*(moment for moment, _ in begins[1:]), len(peak.curve) - 1]):
        left, right = across(moment), across(end)
        parts.append(
            f'<line class="phase" x1="{left:.1f}" x2="{left:.1f}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM - 10}"/>'
        )
        if right - left > 7 * len(phase):
            parts.append(
                f'<text class="tick" x="{(left + right) / 2:.1f}" y="{_TOP - 4}" text-anchor="middle">{phase}</text>'
            )
    return parts


def _strip(peak: Peak, colours: Mapping[Line | None, int], across: _Scale, y: float) -> list[str]:
    """Draws the source line that allocated last at each moment, as a strip of colours."""
    parts, start = [], 0
    lines = [line for _, _, line in peak.curve]
    for moment in range(1, len(lines) + 1):
        if moment < len(lines) and lines[moment] == lines[start]:
            continue
        number = colours.get(lines[start])
        if number is not None:
            left, right = across(start), across(min(moment, len(lines) - 1))
            parts.append(
                f'<rect class="l{number}" x="{left:.1f}" y="{y:.1f}" width="{max(right - left, 0.8):.1f}" height="9"/>'
            )
        start = moment
    return parts


class _Scale:
    """Maps values linearly to coordinates."""

    def __init__(self, low: float, high: float, first: float, last: float) -> None:
        self._low, self._first = low, first
        self._step = (last - first) / (high - low) if high > low else 0.0

    def __call__(self, value: float) -> float:
        return self._first + (value - self._low) * self._step


_scale = _Scale


def _grid(bottom: int, top: int, upward: _Scale) -> str:
    step = max(1, -(-(top - bottom) // 7))
    lines = []
    for power in range(bottom, top + 1, step):
        y = upward(power)
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        label = size_of(2**power).replace(".0 ", " ")
        lines.append(f'<text class="tick" x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    return "".join(lines)


def _svg(parts: Sequence[str], label: str) -> str:
    return f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
