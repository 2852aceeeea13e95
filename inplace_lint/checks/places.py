"""Converts syntax nodes to locations and source text, and findings to diagnostics."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import CONFIDENCES, Diagnostic, Label, Location
from ..syntax.nodes import end_of, start_of
from ..syntax.operators import OPERATORS
from .registry import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..hazards.finding import Finding
    from ..interp.frames import Place
    from ..syntax.module import Module


def location(module: Module, node: ast.AST) -> Location:
    """The span of a node, with columns in characters (`ast` counts bytes)."""
    (row, first), (end_row, last) = start_of(node), end_of(node)
    return Location(module.filename, row, column(module, row, first), end_row, column(module, end_row, last))


def column(module: Module, row: int, offset: int) -> int:
    line = module.lines[row - 1] if row <= len(module.lines) else b""
    return len(line[:offset].decode("utf-8", "replace")) + 1


def text(module: Module, node: ast.AST, longest: int = 40) -> str:
    """The source of a node in backticks; "this tensor" if it is long or spans lines."""
    (row, first), (end_row, last) = start_of(node), end_of(node)
    if row != end_row:
        return "this tensor"
    words = module.lines[row - 1][first:last].decode("utf-8", "replace")
    return f"`{words}`" if len(words) <= longest else "this tensor"


def passed(module: Module, finding: Finding) -> str:
    """What a call changes, in the words of the source: one of its arguments, or an attribute of an object."""
    call = finding.at
    if finding.passed is None or not isinstance(call, ast.Call):
        return "a tensor"
    position, name = finding.passed
    if "." in name:
        return f"`{name}`"
    plain = all(not isinstance(arg, ast.Starred) for arg in call.args[: position + 1])
    given = next((keyword.value for keyword in call.keywords if keyword.arg == name), None)
    if given is None and plain and 0 <= position < len(call.args):
        given = call.args[position]
    while isinstance(given, ast.Subscript):
        given = given.value
    words = "" if given is None or isinstance(given, ast.Call) else text(module, given)
    return words if words.startswith("`") else "a tensor"


def target(module: Module, finding: Finding) -> str:
    """What a finding's write changes, in the words of the source."""
    if finding.passed is not None or (finding.write is not None and isinstance(finding.at, ast.Call)):
        return passed(module, finding)
    return written(module, finding.at)


def written(module: Module, node: ast.AST) -> str:
    """What a statement or call changes, judging by its syntax."""
    if isinstance(node, ast.AugAssign):
        node = node.target
    elif isinstance(node, ast.Assign):
        node = node.targets[0]
    elif isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "out":
                return text(module, keyword.value)
        if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            node = node.args[0] if _is_function(node.func) and node.args else node.func.value
        elif node.args:
            node = node.args[0]
            if isinstance(node, ast.Constant) or getattr(node, "attr", "").endswith("_"):
                return "this tensor"  # a method that was bound before: `m(2)`, `map(torch.Tensor.neg_, xs)`
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call):
        return "this tensor"
    return text(module, node)


def _is_function(func: ast.Attribute) -> bool:
    """Whether `func` looks like a function of a module (`F.relu_`, `torch.relu_`) rather than a tensor method."""
    value = func.value
    return (isinstance(value, ast.Name) and value.id in ("torch", "F")) or (
        isinstance(value, ast.Attribute) and (value.attr in ("functional", "init"))
    )


def label(role: str, message: str, place: Place) -> Label:
    """A label at a place, which may be in another file."""
    return Label(role, message, location(place.frame.module, place.at))


def at_write(
    module: Module,
    finding: Finding,
    code: str,
    severity: str,
    message: str,
    labels: Sequence[Label] = (),
    *,
    caption: str = "",
    help: str = "",
    remark: str = "",
) -> Diagnostic:
    """The diagnostic of a finding at its write; severity "note" if its confidence is only "possible"."""
    sure = CONFIDENCES[finding.confidence]
    return Diagnostic(
        code,
        rule_name(code),
        "note" if sure == "possible" else severity,
        sure,
        message,
        location(module, finding.at),
        tuple(labels),
        caption=caption,
        help=help,
        remark=remark,
    )


def row_of(place: Place) -> int:
    return int(getattr(place.at, "lineno", 0))


def augmented_operator(node: ast.AST) -> str | None:
    """The operator of an augmented assignment, or None."""
    return OPERATORS.get(type(node.op)) if isinstance(node, ast.AugAssign) else None


def augmented_parts(module: Module, node: ast.AST) -> tuple[str, str, str]:
    """(target, operator, value) of an augmented assignment; empty if the text is long."""
    if not isinstance(node, ast.AugAssign):
        return "", "", ""
    name, value = text(module, node.target).strip("`"), text(module, node.value).strip("`")
    if "this tensor" in (name, value):
        return "", "", ""
    if isinstance(node.value, (ast.BinOp, ast.IfExp, ast.Compare, ast.BoolOp, ast.Lambda)):
        value = f"({value})"
    return name, OPERATORS.get(type(node.op), "?"), value


def rule_name(code: str) -> str:
    """The kebab-case name of an existing rule."""
    rule = find(code)
    assert rule is not None, code
    return rule.name
