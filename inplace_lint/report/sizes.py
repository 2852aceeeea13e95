"""Sizes as a person reads them."""

from __future__ import annotations

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size_of(size: float | None) -> str:
    """Bytes with a unit that reads well: `98.1 MiB`."""
    if size is None:
        return "-"
    value, unit = float(size), 0
    while abs(value) >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{value:.0f} {_UNITS[unit]}" if not unit else f"{value:.1f} {_UNITS[unit]}"
