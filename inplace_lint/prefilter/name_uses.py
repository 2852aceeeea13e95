"""Collects, in one walk over a function, how it uses each name: attributes, calls, loops and assignments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import bound, children, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource


class NameUses:
    """Of one function. Names are written `x`; attributes of names, which are followed too, `self.x`."""

    def __init__(self, source: FunctionSource) -> None:
        #: by name, the attributes, calls, assignments and loops that speak of it, in the order of the walk
        self.of: dict[str, list[ast.AST]] = {}
        #: by name, the attributes under which it is kept, or what stands for it where none is given
        self.kept: dict[str, list[str]] = {}
        #: names and attributes that are read
        self.read: set[str] = set()
        #: attributes that are set, or registered by a method
        self.sets: set[str] = set()
        for node in walk(source.node):
            if isinstance(node, ast.Name):
                if isinstance(node.ctx, ast.Load):
                    self.read.add(node.id)
                continue
            asked: list[ast.expr] = []
            if isinstance(node, ast.Attribute):
                if isinstance(node.ctx, ast.Load):
                    self.read.add(node.attr)
                elif isinstance(node.ctx, ast.Store):
                    self.sets.add(node.attr)
                asked = [node.value]
                if node.attr == "backward":
                    asked += results_in(node.value)
            elif isinstance(node, ast.Call):
                asked = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
                first = getattr(node.args[0], "value", None) if node.args else None
                if isinstance(first, str):
                    self.sets.add(first)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                if node.value is not None:
                    asked = [*results_in(node.value)]
                    self._keep(node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                asked = [node.iter]
            for name in {spelled(one) for one in asked}:
                self.of.setdefault(name, []).append(node)

    def _keep(self, targets: ast.expr, value: ast.expr) -> None:
        for target, given in bound(targets, value):
            first = given.values[0] if isinstance(given, ast.BoolOp) else given
            if isinstance(target, ast.Attribute) and isinstance(first, ast.Name):
                self.kept.setdefault(first.id, []).append(target.attr)


def spelled(node: ast.expr) -> str:
    """A name, or an attribute of one, as it is written; empty for what is neither."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def results_in(node: ast.AST) -> Iterator[ast.expr]:
    """What is called where an expression is a call, or arithmetic with some."""
    if isinstance(node, ast.Call):
        yield node.func
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
        for one in children(node):
            yield from results_in(one)
