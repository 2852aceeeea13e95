"""Collects, in one walk over a function, how it uses each name: attributes, calls, loops and assignments."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import bound, children, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource


class NameUses:
    """The uses of names in one function; keys are names (`x`) or attributes of names (`self.x`)."""

    def __init__(self, source: FunctionSource) -> None:
        #: key -> nodes that use it (attributes, calls, assignments, loops), in walk order
        self.of: dict[str, list[ast.AST]] = {}
        #: name -> attributes that it is assigned to: `self.x = x`, or `self.x = x or default`
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
    """The key of an expression: `x` or `self.x`; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return ""


def results_in(node: ast.AST) -> Iterator[ast.expr]:
    """The callees of an expression that is a call, or arithmetic on calls."""
    if isinstance(node, ast.Call):
        yield node.func
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
        for one in children(node):
            yield from results_in(one)
