"""Answers what each `torch.nn` class derives from, and which constructor arguments it stores as attributes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Row:
    """A class: its bases, and by name the attributes that hold constructor arguments, with defaults as written."""

    __slots__ = ("bases", "kept")

    def __init__(self, bases: list[str], words: list[str]) -> None:
        self.bases = bases
        self.kept = {name: default for name, _, default in (word.partition("=") for word in words)}


_PREFIX = "torch.nn."
_MODULE = "torch.nn.Module"
_rows: dict[str, _Row] = {}


def _row(dotted: str) -> _Row | None:
    if not dotted.startswith(_PREFIX):
        return None
    if not _rows:
        with open(os.path.join(os.path.dirname(__file__), "classes.txt"), encoding="utf-8") as file:
            for line in file:
                head, *words = line.split()
                name, _, bases = head.rstrip(")").partition("(")
                _rows[name] = _Row(bases.split(","), words)
    return _rows.get(dotted.rpartition(".")[2])  # private modules import classes from their own files


def keeps(dotted: str, name: str) -> bool:
    """Whether instances of the class store the constructor argument `name` under that same name."""
    row = _row(dotted)
    return row is not None and name in row.kept


def default(dotted: str, name: str) -> tuple[object] | None:
    """The attribute's value when the argument is omitted, as a 1-tuple; None if the argument is required."""
    row = _row(dotted)
    written = "" if row is None else row.kept.get(name, "")
    return (_constant(written),) if written else None


_CONSTANTS: Mapping[str, object] = {"None": None, "True": True, "False": False}


def _constant(written: str) -> object:
    if written in _CONSTANTS:
        return _CONSTANTS[written]
    if written[0] == "'":
        return written[1:-1]
    return float(written) if "." in written or "e" in written else int(written)


def derives(dotted: str, base: str) -> bool | None:
    """Whether `dotted` is `base` or derives from it; None if that is not known."""
    row, other = _row(dotted), _row(base)
    if dotted == base or (row is not None and row is other) or (base == _MODULE and row is not None):
        return True
    if (row is None and dotted != _MODULE) or other is None:
        return None
    return row is not None and any(derives(_PREFIX + one, base) for one in row.bases)
