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


def peaks(before: Call, after: Call | None, root: str) -> dict[str, Any] | None:
    """Returns the peak of a call and of its fixed form; None if no method runs both at a common length.

    The record is `{"before": bytes, "after": bytes | None, "kept": [bytes, bytes | None], "size": S | None,
    "method": …, "device": …, "dtype": …, "growth": […]}` at the largest common length: `kept` are the bytes that the
    forward leaves for the backward, `growth` the exponents over the last two lengths. Measured on a GPU if there is
    one, else predicted for one, else counted on the CPU.
    """
    for settings in _methods():
        first = sweep("before", before, settings, root)
        second = sweep("after", after, settings, root) if after is not None else None
        record = _record(first, second, settings)
        if record is not None:
            return record
    return None


def held_by(
    call: Call, root: str, file: str, rows: Collection[int]
) -> tuple[dict[str, Any] | None, dict[int, int]]:
    """Returns the peak of a call as `peaks` does, and the bytes that these rows of a file hold at it, by length."""
    path = os.path.realpath(file)
    for settings in _methods(by_line=True):
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
            return record, held
    return None, {}


def _methods(by_line: bool = False) -> Iterator[Settings]:
    if not by_line and not gpu.missing():
        yield Settings("gpu", PREDICTED, dtype="bf16", repeats=1, forms=False)
        yield Settings("gpu", PREDICTED, repeats=1, forms=False)
    for dtype in ("bf16", "f32"):
        yield Settings("predict", PREDICTED, dtype=dtype, device=DEVICES[DEFAULT], forms=False)
    yield Settings("cpu", RUN, repeats=1, forms=False)


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
