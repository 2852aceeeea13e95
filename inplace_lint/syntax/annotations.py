"""Reads the type name of an annotation: `Tensor` from `torch.Tensor`, `Optional[Tensor]` or `Tensor | None`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

LISTS = frozenset("list List tuple Tuple Sequence".split())
MAPPINGS = frozenset("dict Dict Mapping OrderedDict".split())
#: Types that are no tensor and hold none.
SCALARS = frozenset("int float str bool bytes complex".split())


def annotated(node: ast.expr | None) -> str:
    """The last name of a plain annotation; the container's name for LISTS and MAPPINGS; else empty."""
    if node is None:
        return ""
    name = getattr(node, "attr", None) or getattr(node, "id", None)
    if isinstance(name, str):
        return name
    left, right = getattr(node, "left", None), getattr(node, "right", None)
    if left is not None and right is not None:
        return annotated(left) if getattr(right, "value", 0) is None else ""
    outer = getattr(node, "value", None)
    if isinstance(outer, str):
        return outer.rpartition(".")[2]
    outer_name = getattr(outer, "id", getattr(outer, "attr", ""))
    if outer_name == "Optional":
        return annotated(getattr(node, "slice", None))
    if outer_name in LISTS or outer_name in MAPPINGS:
        return str(outer_name)
    return ""
