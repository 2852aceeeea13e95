"""Recognises writes that cannot hit a tensor: to counters and containers that the function itself creates."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.annotations import SCALARS, annotated
from ..syntax.nodes import inner_bodies

if TYPE_CHECKING:
    from ..syntax.module import FunctionSource


def writes_only_own(
    function: FunctionSource, statements: list[ast.Assign | ast.AugAssign], counts: bool = False
) -> bool:
    """Whether the statements write only numbers and containers that the function creates itself.

    `counts`: a target that starts as a number stays one, as in an `__init__` that adds up sizes (`channels += n`).
    """
    receiver = function.parameters[0].arg if counts and function.parameters else ""
    names = {name for statement in statements for name in _written(statement, receiver)}
    if not names or "" in names:
        return False
    arguments = function.node.args
    given = (
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    )
    made: set[str] = set()
    for argument in given:
        if argument is not None and argument.arg in names:
            if not (counts and _is_number(function, argument)):
                return False
            made.add(argument.arg)
    if b":=" in function.text:
        return False
    pending: list[ast.stmt] = list(getattr(function.node, "body", ()))
    while pending:
        statement = pending.pop()
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                name = _name_of(target, receiver)
                if name:
                    if name in names:
                        if not _is_plain(statement.value):
                            return False
                        made.add(name)
                elif not isinstance(target, (ast.Attribute, ast.Subscript)) and _binds(target, names):
                    return False
        elif counts and isinstance(statement, ast.AugAssign):
            continue
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
            name = _name_of(statement.target, receiver)
            if name in names:
                if statement.value is None or not _is_plain(statement.value):
                    return False
                made.add(name)
        elif isinstance(statement, (ast.For, ast.AsyncFor)):
            if _binds(statement.target, names):
                return False
        elif isinstance(statement, (ast.Global, ast.Nonlocal, ast.With, ast.AsyncWith, ast.Match)):
            return False
        pending.extend(inner for body in inner_bodies(statement) for inner in body)
    return made == names


def _name_of(target: ast.expr, receiver: str) -> str:
    """A name, or `.attribute` of the receiver; empty for anything else."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute) and receiver and getattr(target.value, "id", "") == receiver:
        return f".{target.attr}"
    return ""


def _written(statement: ast.Assign | ast.AugAssign, receiver: str) -> list[str]:
    """The names written by a statement; an empty name for any target that is not a plain name or an item of one."""
    if isinstance(statement, ast.AugAssign):
        return [_name_of(statement.target, receiver)]
    found = []
    for target in statement.targets:
        if isinstance(target, ast.Subscript):
            found.append(getattr(target.value, "id", ""))
        elif not isinstance(target, ast.Name):
            found.append("")
    return found


def _binds(target: ast.expr, names: set[str]) -> bool:
    if isinstance(target, ast.Name):
        return target.id in names
    if isinstance(target, ast.Starred):
        return _binds(target.value, names)
    return isinstance(target, (ast.Tuple, ast.List)) and any(_binds(inner, names) for inner in target.elts)


_CONTAINERS = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
_COLLECTIONS = frozenset(["OrderedDict", "defaultdict"])
_MAKES = _COLLECTIONS | frozenset("dict float int len list round set".split())


def _is_plain(node: ast.expr) -> bool:
    """Whether a value is a number, a string or a container, and not a tensor."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):  # `x.float()` may be the tensor itself
            return node.func.attr in _COLLECTIONS
        return isinstance(node.func, ast.Name) and node.func.id in _MAKES
    if isinstance(node, ast.BinOp):
        return _is_plain(node.left) and _is_plain(node.right)
    if isinstance(node, ast.UnaryOp):
        return _is_plain(node.operand)
    if isinstance(node, ast.IfExp):
        return _is_plain(node.body) and _is_plain(node.orelse)
    return isinstance(node, (ast.Constant, *_CONTAINERS))


def _is_number(function: FunctionSource, parameter: ast.arg) -> bool:
    """Whether a parameter is a number or string by its annotation or default."""
    if annotated(parameter.annotation) in SCALARS:
        return True
    default = function.default_of(parameter)
    return isinstance(default, ast.Constant) and isinstance(default.value, (bool, int, float, str))
