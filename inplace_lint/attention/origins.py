"""Tells from the text which names and expressions an operand of a product may be computed from.

The graph takes equal terms for equal values. A fix does not rest on that alone: where several names of a function have
the term of an operand, it is spelled by the one that the source itself multiplies.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..syntax.nodes import children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource


@dataclass(slots=True, eq=False)
class Origins:
    """What one operand is computed from: `names` in the order in which the text leads to them, and all expressions."""

    names: dict[str, None] = field(default_factory=dict)
    nodes: set[ast.AST] = field(default_factory=set)


def of_operand(function: FunctionSource, product: ast.AST, number: int) -> Origins:
    """What the tensor operand `number` (from 0) of a product in the function may be computed from."""
    bindings = _bindings(function.node)
    found = Origins()
    pending = _operand(product, number)
    while pending:
        reached: list[ast.AST] = []
        for start in pending:
            for node in _in_order(start):
                found.nodes.add(node)
                if isinstance(node, ast.Name) and node.id not in found.names:
                    found.names[node.id] = None
                    reached += bindings.get(node.id, ())
        pending = [node for node in reached if node not in found.nodes]
    return found


def _operand(product: ast.AST, number: int) -> list[ast.AST]:
    """The expressions that give an operand; all of the product's where the text does not tell them apart."""
    if isinstance(product, ast.BinOp):
        return [product.right if number else product.left]
    if not isinstance(product, ast.Call):
        return [product]
    given = [
        one for one in product.args if not (isinstance(one, ast.Constant) and isinstance(one.value, str))
    ]
    if isinstance(product.func, ast.Attribute) and len(given) == 1:
        given = [product.func.value, *given]
    if len(given) == 2 and not product.keywords and not any(isinstance(one, ast.Starred) for one in given):
        return [given[number]]
    return [product]


def _bindings(function: ast.AST) -> dict[str, list[ast.AST]]:
    """The expressions that statements of a function give to each name, whichever of them reach the product."""
    found: dict[str, list[ast.AST]] = {}
    for node in _in_order(function):
        if isinstance(node, ast.Assign):
            pairs = [pair for target in node.targets for pair in _matched(target, node.value)]
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            pairs = _matched(node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            pairs = _matched(node.target, node.iter)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            pairs = _matched(node.optional_vars, node.context_expr)
        else:
            continue
        for name, value in pairs:
            found.setdefault(name, []).append(value)
    return found


def _matched(target: ast.AST, value: ast.AST) -> list[tuple[str, ast.AST]]:
    """Each name in a target with the expression that it is given; of `a, b = x, y` each has its own."""
    if isinstance(target, ast.Name):
        return [(target.id, value)]
    if isinstance(target, (ast.Attribute, ast.Subscript, ast.Starred)):
        return _matched(target.value, value)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return []
    each: list[ast.AST] = [value] * len(target.elts)
    given = list(value.elts) if isinstance(value, (ast.Tuple, ast.List)) else []
    if len(given) == len(each) and not any(isinstance(one, ast.Starred) for one in (*given, *target.elts)):
        each = [*given]
    return [pair for one, from_ in zip(target.elts, each) for pair in _matched(one, from_)]


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """A node and its descendants, in the order of the text."""
    pending = [node]
    while pending:
        at = pending.pop()
        yield at
        pending += reversed(children(at))
