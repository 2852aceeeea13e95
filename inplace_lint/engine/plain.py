"""Serialises findings to JSON and rebuilds them. Only this package's own plain classes can be rebuilt."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ..model import Diagnostic, Edit, Fix, FixPlan, Label, Location
from ..project.paths import relative, shown

if TYPE_CHECKING:
    from typing import Any

#: Tags of values that JSON has no form for, at the start of their array; other objects have their class name there.
_TUPLE, _DICT, _PLACE, _FILE = "()", "{}", "@", "/"


def written(findings: list[Diagnostic], root: str) -> str:
    """One line of JSON. File names are relative to `root`, where they lie below it."""
    return json.dumps([_packed(one, root) for one in findings], separators=(",", ":"))


def read(text: str | bytes, root: str) -> list[Diagnostic]:
    """The findings that `written` serialised. Raises ValueError for any other text."""
    try:
        found = [_unpacked(one, root) for one in json.loads(text)]
    except (AttributeError, IndexError, KeyError, RecursionError, TypeError) as error:
        raise ValueError("no findings") from error
    if not all(isinstance(one, Diagnostic) for one in found):
        raise ValueError("no findings")
    return found


def _packed(value: Any, root: str) -> Any:
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, tuple):
        return [_TUPLE, *(_packed(part, root) for part in value)]
    if isinstance(value, dict):
        return [_DICT, *([_packed(name, root), _packed(part, root)] for name, part in value.items())]
    if isinstance(value, Location):
        name = relative(value.filename, root)
        return [_PLACE, name, value.row, value.column, value.end_row, value.end_column]
    parts = ((name, getattr(value, name)) for name in _slots(type(value)))
    return [
        type(value).__name__,
        *(
            [_FILE, relative(part, root)] if name == "filename" else _packed(part, root)
            for name, part in parts
        ),
    ]


def _unpacked(value: Any, root: str) -> Any:
    if not isinstance(value, list):
        return value
    kind, *parts = value
    if kind == _PLACE:
        return Location(_name(parts[0], root), *parts[1:])
    if kind == _FILE:
        return _name(parts[0], root)
    if kind == _TUPLE:
        return tuple(_unpacked(part, root) for part in parts)
    if kind == _DICT:
        return {_unpacked(name, root): _unpacked(part, root) for name, part in parts}
    made: Any = _class(kind)
    one = made.__new__(made)
    for name, part in zip(_slots(made), parts, strict=True):
        setattr(one, name, _unpacked(part, root))
    return one


def _class(name: str) -> type:
    known = _CLASSES.get(name)
    if known is not None:
        return known
    from ..fixes import plans

    found = getattr(plans, name)
    if not (isinstance(found, type) and issubclass(found, FixPlan)):
        raise ValueError("no findings")
    return found


_CLASSES: dict[str, type] = {one.__name__: one for one in (Diagnostic, Label, Fix, Edit)}
_known: dict[type, list[str]] = {}


def _slots(cls: type) -> list[str]:
    if cls not in _known:
        _known[cls] = [name for part in reversed(cls.__mro__) for name in getattr(part, "__slots__", ())]
    return _known[cls]


def _name(path: str, root: str) -> str:
    return shown(os.path.join(root, path))
