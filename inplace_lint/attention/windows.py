"""Tells how many keys a query sees where a setting of the module says so: in windows, not over the whole sequence.

The scores of such an attention grow with the number of positions, not with its square.
"""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from .scalars import parameter_of
from .terms import Term, integer

if TYPE_CHECKING:
    from .axes import Axis
    from .graph import Graph
    from .shapes import Shapes
    from .site import Site

_ARITHMETIC = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
}

#: So many operations within each other are followed: `n = n + n` in a row would be walked 2ⁿ times.
_DEPTH = 8


def has_window(site: Site, shapes: Shapes) -> bool:
    """Whether the number of keys is a setting, by the shape of the keys or of a term that is added to the scores."""
    return _size(site, shapes) is not None


def width(site: Site, shapes: Shapes) -> int | None:
    """The number of keys that a query sees with the settings at their defaults; None if that is not known."""
    size = _size(site, shapes)
    return None if size is None else _number(shapes.graph, size)


def _size(site: Site, shapes: Shapes) -> Term | None:
    """The number of keys as a term of settings and constants."""
    for term, labels in ((site.key.term, site.key.labels), *((m.term, m.labels) for m in site.scores.masks)):
        axis = _axis(shapes, term, labels)
        size = None if axis is None else axis.size
        if size is not None and integer(size) != 1 and is_setting(shapes.graph, size):  # 1 is broadcast
            return size
    return None


def _axis(shapes: Shapes, term: Term, labels: tuple[str, ...]) -> Axis | None:
    """The axis of keys in the shape of the keys or of a mask, which may have fewer axes than the scores."""
    shape = shapes.of(term)
    if shape is None or "s" not in labels:
        return None
    from_end = labels.index("s") - len(labels)
    return shape[from_end] if len(shape) >= -from_end else None


def is_setting(graph: Graph, size: Term, depth: int = _DEPTH) -> bool:
    """Whether a size depends on constants and on what `__init__` is given alone; False if that takes too many steps."""
    if not depth:
        return False
    if size.op == "attr":
        owner, name = size.args
        return owner.op == "instance" and graph.classes.defines(owner.args[0], name)
    if size.op == "param":
        return getattr(size.at, "name", "") == "__init__"
    if size.op in ("item", "getitem"):
        return is_setting(graph, size.first, depth - 1)
    if size.op in _ARITHMETIC:
        return all(is_setting(graph, one, depth - 1) for one in size.operands)
    return integer(size) is not None


def _number(graph: Graph, size: Term, depth: int = _DEPTH) -> int | None:
    """The value of a size that `is_setting`, by the defaults of parameters."""
    if not depth:
        return None
    if size.op == "attr":
        made = graph.classes.definition(size)
        return None if made is None else _number(graph, made, depth - 1)
    if size.op == "param":
        default = parameter_of(size)[1]
        known = default.value if isinstance(default, ast.Constant) else None
        return known if type(known) is int else None
    if size.op in _ARITHMETIC and len(size.operands) == 2:
        numbers = [_number(graph, one, depth - 1) for one in size.operands]
        if None in numbers or (size.op == "floordiv" and not numbers[1]):
            return None
        return int(_ARITHMETIC[size.op](*numbers))
    return integer(size)
