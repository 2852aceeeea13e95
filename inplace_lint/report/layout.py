"""Writes JSON with one line for each finding: short, and still easy to read, search and diff."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def array(rows: Iterable[Any], indent: str = "") -> str:
    """An array, each of its values in a line of its own."""
    lines = [json.dumps(row) for row in rows]
    joined = f",\n{indent}  ".join(lines)
    return f"[\n{indent}  {joined}\n{indent}]" if lines else "[]"


def mapping(parts: Mapping[str, Any], name: str, rows: Iterable[Any]) -> str:
    """An object of these parts, and of an array under that name."""
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in parts.items()]
    return "\n".join(["{", *lines, f"  {json.dumps(name)}: {array(rows, '  ')}", "}"])
