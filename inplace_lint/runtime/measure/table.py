"""Renders measurements for a terminal: a table of peaks by size, then source lines with their growth."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from ...report.sizes import size_of
from ...report.style import Style, safe
from .sweep import Point, Series, Settings, relative, said_size

#: The source of the inputs, in words.
SOURCES = {
    "given": "the command line",
    "comment": "a comment",
    "factory": "the configured factory",
    "capture": "a capture",
    "annotations": "annotations",
    "synthesis": "trial",
    "parent": "a class that uses it",
}
#: Lines below this share of the peak are summed up in one row.
_SHARE = 0.01


def render(series: Sequence[Series], settings: Settings, style: Style) -> str:
    """Returns the whole report: one block for each target, and a comparison if there are two."""
    parts = [title(settings)]
    extra = "reserved" if settings.method != "cpu" else "time"
    parts += ["\n".join(_block(one, extra, style)) for one in series]
    if len(series) == 2 and set(dict(series[0].measured)) & set(dict(series[1].measured)):
        parts.append("\n".join(_comparison(series[0], series[1], style)))
    return "\n".join(line.rstrip() for part in parts for line in (*part.split("\n"), "")).rstrip("\n") + "\n"


def title(settings: Settings) -> str:
    """Describes what is measured, in one sentence."""
    what = "one training step: forward and backward" if settings.train else "one forward without gradients"
    if settings.train and settings.optimizer != "none":
        what = f"one training step: forward, backward, {settings.optimizer}"
    where = {
        "cpu": "Peak of live bytes on the CPU",
        "gpu": "Peak of allocated bytes on the GPU",
        "predict": f"Predicted peak on {settings.device.name if settings.device else 'a GPU'} (nothing was run there)",
    }[settings.method]
    return f"{where}, {settings.dtype}, {what}"


def _block(series: Series, extra: str, style: Style) -> list[str]:
    inputs = ", ".join(f"{name} = {value}" for name, value in series.inputs.items())
    lines = [
        style.paint(safe(series.label), "bold"),
        safe(f"  inputs from {SOURCES[series.source]}: {inputs}"),
        "",
    ]
    rows = [["S", "peak", "lasts", "inputs", "kept for backward", "temporary", extra]]
    rows += [_row(point, extra) for point in series.points]
    lines += _aligned(rows)
    lines += [f"  {said_size(point.size)}: {safe(point.failure)}" for point in series.points if point.failure]
    if series.exponent is not None:
        form = f", exactly {series.form} bytes" if series.form else ""
        lines += ["", f"  grows as {power(series.exponent)}{form}"]
    if series.rows and series.measured:
        lines += ["", *_lines(series, style)]
    return [line.rstrip() for line in lines]


def _row(point: Point, extra: str) -> list[str]:
    if point.peak is None:
        return [str(point.size or "-"), "-", "", "", "", "", ""]
    kinds = point.peak.kinds
    lasts = kinds["parameters"] + kinds["gradients"] + kinds["optimizer"]
    last = duration(point.seconds) if extra == "time" else size_of(point.reserved)
    parts = (lasts, kinds["inputs"], kinds["kept"], kinds["temporary"])
    return [str(point.size or "-"), size_of(point.peak.total), *map(size_of, parts), last]


def _lines(series: Series, style: Style) -> list[str]:
    largest, peak = series.measured[-1]
    rows = [["line", said_size(largest), "share", "growth", "bytes", ""]]
    rest = 0
    for row in sorted(series.rows, key=lambda row: -row.values[largest]):
        value = row.values[largest]
        if value < _SHARE * peak.total or row.line is None:
            rest += value
            continue
        rows.append(
            [
                relative(row.line),
                size_of(value),
                f"{100 * value / peak.total:.0f}%",
                "" if row.exponent is None else power(row.exponent),
                row.form,
                _text(row.text),
            ]
        )
    if rest:
        rows.append(["elsewhere", size_of(rest), f"{100 * rest / peak.total:.0f}%", "", "", ""])
    return [
        line if number else style.paint(line, "frame") for number, line in enumerate(_aligned(rows, {0, 5}))
    ]


def _comparison(before: Series, after: Series, style: Style) -> list[str]:
    first, second = dict(before.measured), dict(after.measured)
    rows = [["S", "before", "after", "saved", ""]]
    for size in sorted(first.keys() & second.keys()):
        old, new = first[size].total, second[size].total
        rows.append([str(size or "-"), size_of(old), size_of(new), size_of(old - new), ratio(old, new)])
    return [style.paint(f"{safe(before.label)} against {safe(after.label)}", "bold"), "", *_aligned(rows)]


def _aligned(rows: Sequence[Sequence[str]], left: Collection[int] = frozenset()) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            f"{cell:<{width}}" if place in left else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths))
        )
        for row in rows
    ]


def _text(line: str, width: int = 60) -> str:
    text = safe(line)
    return text if len(text) <= width else text[: width - 3] + "..."


def ratio(old: int, new: int) -> str:
    """Compares two peaks: `21.3 times less`, `the same`."""
    if old == new:
        return "the same"
    return f"{old / max(new, 1):.1f} times less" if new < old else f"{new / max(old, 1):.1f} times more"


def duration(seconds: float | None) -> str:
    """Returns a time in ms or s."""
    if seconds is None:
        return "-"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def power(exponent: float) -> str:
    """Returns a growth exponent as text: `S^1.97`, `constant`."""
    return "constant" if abs(exponent) < 0.005 else f"S^{exponent:.2f}"


def name_of(path: str) -> str:
    """Returns a file's path relative to the working directory."""
    return os.path.relpath(path)
