"""Tells which attributes of its object a method uses, itself or in methods of the object that it calls."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..syntax.module import FunctionSource

#: What gives all parts of a module at once.
_ALL = frozenset(
    "modules named_modules children named_children parameters named_parameters buffers named_buffers state_dict "
    "_modules _parameters __dict__ get_submodule get_parameter apply".split()
)


def parts_used(method: FunctionSource, methods: Mapping[str, FunctionSource]) -> set[str] | None:
    """The names of the attributes; None if the object itself is used, so that it may be any of them.

    `methods` are those of the object's class and its bases, by name.
    """
    found: set[str] = set()
    pending, seen = [method], {method}
    while pending:
        source = pending.pop()
        own = _attributes(source)
        if own is None or not own.isdisjoint(_ALL):
            return None
        found |= own
        called = {methods[name] for name in own if name in methods} - seen
        seen |= called
        pending += called
    return found


def _attributes(source: FunctionSource) -> set[str] | None:
    """The attributes of the receiver that a function names; a call of the receiver itself counts as its `forward`."""
    found: set[str] = set()
    bare = 0
    for node in walk(source.node):
        if isinstance(node, ast.Attribute) and _is(node.value, source.receiver):
            found.add(node.attr)
            bare -= 1
        elif isinstance(node, ast.Call) and _is(node.func, source.receiver):
            found.add("forward")
            bare -= 1
        elif _is(node, source.receiver) or _is(node, "super"):
            bare += 1
    return None if bare or not source.receiver else found


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
