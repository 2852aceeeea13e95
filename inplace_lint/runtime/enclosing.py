"""Finds the classes and the function around a line, and the dotted name under which the file is imported."""

from __future__ import annotations

import ast
import os

from ..project import Project


def enclosing(source: str, row: int) -> tuple[str, ...]:
    """The names of the classes around a line and of the outermost function, outermost first; empty at module level."""
    try:
        body: list[ast.stmt] = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return ()
    names: list[str] = []
    while True:
        for node in body:
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            if not first <= row <= (node.end_lineno or first):
                continue
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return (*names, node.name)
            if isinstance(node, ast.ClassDef):
                names.append(node.name)
                body = node.body
                break
            # A definition under an `if` or in a `try` belongs to the module all the same.
            inner = list(ast.iter_child_nodes(node))
            inner += [
                one
                for child in inner
                if not isinstance(child, ast.stmt)
                for one in ast.iter_child_nodes(child)
            ]
            body = [one for one in inner if isinstance(one, ast.stmt)]
            break
        else:
            return ()


def imported_as(file: str, project: Project) -> dict[str, str]:
    """The `file`, the dotted name `module` that its project imports it under, and the directory `top` for that."""
    module = project.module_name(file)
    top = os.path.abspath(file)
    for _ in range(module.count(".") + (os.path.basename(file) == "__init__.py") + 1):
        top = os.path.dirname(top)
    return {"file": os.path.abspath(file), "module": module, "top": top}
