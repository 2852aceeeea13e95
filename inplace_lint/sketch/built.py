"""The attributes that `__init__` builds on rows of interest, directly or out of what stands there."""

from __future__ import annotations

from bisect import bisect_left

from ..syntax.nodes import inner_bodies
from .words import has_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from ..syntax.module import FunctionSource
else:
    import _ast as ast


def attributes_built(function: FunctionSource, rows: list[int], named: bool) -> set[bytes]:
    """`self.x` for each attribute that is built on one of the rows of `__init__`, or of what is; all if unclear.

    `named`: the rows name something that builds, which may be the default of an argument without being called there.
    """
    found: set[bytes] = set()
    everything: set[bytes] = set()
    told = True
    built = _parameters_built(function, rows, named)
    pieces = list(_pieces(getattr(function.node, "body", [])))
    for _ in range(2):  # what a loop adds to a list may stand above it
        known = len(built)
        for first, last, targets, value in pieces:
            here = {b"self." + t.attr.encode() for t in targets if isinstance(t, ast.Attribute)}
            everything |= here
            at = bisect_left(rows, first)
            if at == len(rows) or rows[at] > last:
                text = function.module.text(first, last) if built else b""
                if not any(has_word(text, name) for name in built):
                    continue
            if here:
                found |= here
                built |= here
                continue
            names = {t.id.encode() for t in targets if isinstance(t, ast.Name)}
            if not names and isinstance(value, ast.Call):
                names = _receiver(value)
                told = told and bool(names)
                found.update(name for name in names if name.startswith(b"self."))
            built |= names
        if len(built) == known:
            break
    return found if told else everything


def _pieces(body: list[ast.stmt]) -> Iterator[tuple[int, int, list[ast.expr], ast.expr | None]]:
    """The statements in order, each as its first and last row, what it binds, and the expression that it is."""
    for statement in body:
        last = statement.end_lineno or statement.lineno
        if isinstance(statement, ast.Assign):
            targets = [e for t in statement.targets for e in getattr(t, "elts", (t,))]
            yield statement.lineno, last, targets, None
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
            yield statement.lineno, last, [statement.target], None
        elif isinstance(statement, ast.Expr):
            yield statement.lineno, last, [], statement.value
        else:
            if isinstance(statement, (ast.For, ast.AsyncFor)):
                targets = [*getattr(statement.target, "elts", (statement.target,))]
                yield statement.lineno, statement.body[0].lineno - 1, targets, None
            for inner in inner_bodies(statement):
                yield from _pieces(inner)


def _receiver(call: ast.Call) -> set[bytes]:
    """What a call for its own sake changes: `layers` of `layers.append(…)`, `self.x` of `self.add_module("x", …)`."""
    node = call.func
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return {b"self." + node.attr.encode()}
    if not isinstance(node, ast.Name):
        return set()
    if node.id != "self":
        return {node.id.encode()}
    name = call.args[0] if call.args else None
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return {b"self." + name.value.encode()}
    return set()


def _parameters_built(function: FunctionSource, rows: list[int], named: bool) -> set[bytes]:
    """The parameters whose defaults are calls on one of the rows, or what is `named` there."""
    found = set()
    kinds = (ast.Call, ast.Name, ast.Attribute, ast.Lambda) if named else (ast.Call,)
    for parameter in (*function.parameters, *function.node.args.kwonlyargs):
        default = function.default_of(parameter)
        if isinstance(default, kinds):
            at = bisect_left(rows, default.lineno)
            if at < len(rows) and rows[at] <= (default.end_lineno or default.lineno):
                found.add(parameter.arg.encode())
    return found
