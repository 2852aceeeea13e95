"""Reads which folders a script adds to the search path of its imports: `sys.path.append("core")`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .module import Module

#: Methods of `sys.path`, each with the position of the folder among its arguments.
_ADDS = {"append": 0, "insert": 1}
#: A script that adds more is read no further.
_MOST = 16


def added(module: Module) -> tuple[str, ...]:
    """The folders, as far as the text tells them: what comes before a literal part is taken to be the script's own."""
    if b"sys.path." not in module.source:
        return ()
    found: dict[str, None] = {}
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        at = _ADDS.get(node.func.attr)
        if at is None or len(node.args) <= at or ast.unparse(node.func.value) != "sys.path":
            continue
        folder = _literal(node.args[at]).strip("/")
        if folder and len(found) < _MOST:
            found[folder] = None
    return tuple(found)


def _literal(node: ast.expr) -> str:
    """The end of a path that is spelled out: `a/b` of `os.path.join(here, "a", "b")`, `b` of `here + "/b"`."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.BinOp):
        return "/".join(filter(None, (_literal(node.left), _literal(node.right).strip("/"))))
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in ("join", "joinpath", "str", "abspath", "realpath", "resolve", "Path"):
            given = node.args if name != "resolve" else [getattr(node.func, "value", node.func)]
            return "/".join(filter(None, map(_literal, given)))
    return ""
