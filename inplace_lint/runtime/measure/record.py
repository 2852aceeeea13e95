"""Turns measurements into one JSON object: sizes in bytes, times in seconds, lines as `file:row`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .sweep import Point, Series, Settings, relative


def record(series: Sequence[Series], settings: Settings) -> dict[str, Any]:
    """Returns the settings and the results of all targets as JSON."""
    return {
        "method": settings.method,
        "device": settings.device.name if settings.device else None,
        "dtype": settings.dtype,
        "optimizer": settings.optimizer if settings.train else None,
        "training": settings.train,
        "targets": [_series(one) for one in series],
    }


def _series(one: Series) -> dict[str, Any]:
    return {
        "target": one.label,
        "inputs": one.inputs,
        "inputs_from": one.source,
        "exponent": one.exponent,
        "form": one.form or None,
        "forms": {kind: form for kind, form in one.kinds.items() if form},
        "points": [_point(point) for point in one.points],
        "lines": [
            {
                "line": relative(row.line),
                "bytes": {str(size): value for size, value in row.values.items()},
                "exponent": row.exponent,
                "form": row.form or None,
            }
            for row in one.rows
        ],
    }


def _point(point: Point) -> dict[str, Any]:
    peak = point.peak
    return {
        "size": point.size or None,
        "peak": None if peak is None else peak.total,
        "phase": None if peak is None else peak.phase or None,
        "kinds": None if peak is None else peak.kinds,
        "reserved": point.reserved,
        "seconds": point.seconds,
        "failure": point.failure or None,
    }
