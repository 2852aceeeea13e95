"""Measures the peak memory of a call before and after its fix, and the part that given source lines hold of it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from typing import Any

from ..inputs import Call
from ..peak import gpu
from ..peak.devices import DEFAULT, DEVICES
from .sweep import Series, Settings, sweep

#: Sequence lengths: of predictions and GPU runs, and short ones for runs on the CPU.
PREDICTED, RUN = (256, 512, 1024), (32, 64, 128)


def peaks(before: Call, after: Call | None, root: str) -> tuple[dict[str, Any] | None, str]:
    """Returns the peak of a call and of its fixed form; or None, if no method runs both at a common length, and why.

    The record is `{"before": bytes, "after": bytes | None, "kept": [bytes, bytes | None], "size": S | None,
    "method": …, "device": …, "dtype": …, "growth": […]}` at the largest common length: `kept` are the bytes that the
    forward leaves for the backward, `growth` the exponents over the last two lengths. Measured on a GPU if there is
    one, else predicted for one, else counted on the CPU.
    """
    why = ""
    for settings in _methods(before):
        first = sweep("before", before, settings, root)
        second = sweep("after", after, settings, root) if after is not None else None
        record = _record(first, second, settings)
        if record is not None:
            return record, ""
        why = _failure(first) or (_failure(second) if second else "")
    return None, why


def held_by(
    call: Call, root: str, file: str, rows: Collection[int]
) -> tuple[dict[str, Any] | None, dict[int, int], str]:
    """Returns the peak of a call, the bytes that these rows of a file hold at it, by length, and why there is none."""
    path = os.path.realpath(file)
    why = ""
    for settings in _methods(call, by_line=True):
        series = sweep("before", call, settings, root)
        record = _record(series, None, settings)
        if record is not None:
            held = {
                size: sum(
                    value
                    for line, value in peak.lines.items()
                    if line is not None and os.path.realpath(line[0]) == path and line[1] in rows
                )
                for size, peak in series.measured
            }
            return record, held, ""
        why = _failure(series)
    return None, {}, why


def _failure(series: Series) -> str:
    """Returns the error that ended the first size of a series that did not run; empty if all did."""
    return next((point.failure for point in series.points if point.failure), "")


def _methods(call: Call, by_line: bool = False) -> Iterator[Settings]:
    """Yields the ways to measure, the best first; last the lengths of the call itself, where no longer ones run."""
    if not by_line and not gpu.missing():
        yield Settings("gpu", PREDICTED, dtype="bf16", repeats=1, forms=False)
        yield Settings("gpu", PREDICTED, repeats=1, forms=False)
    for dtype in ("bf16", "f32"):
        yield Settings("predict", PREDICTED, dtype=dtype, device=DEVICES[DEFAULT], forms=False)
    yield Settings("cpu", RUN, repeats=1, forms=False)
    own = call.sizes["S"]
    yield Settings("predict", (own, 2 * own), dtype="bf16", device=DEVICES[DEFAULT], forms=False)


def _record(first: Series, second: Series | None, settings: Settings) -> dict[str, Any] | None:
    old, new = dict(first.measured), dict(second.measured if second else first.measured)
    common = sorted(old.keys() & new.keys())
    if not common:
        return None
    size = common[-1]
    return {
        "before": old[size].total,
        "after": new[size].total if second else None,
        "kept": [old[size].kept, new[size].kept if second else None],
        "size": size or None,
        "method": settings.method,
        "device": settings.device.name if settings.device else None,
        "dtype": settings.dtype,
        "growth": [first.exponent, second.exponent if second else None],
    }
