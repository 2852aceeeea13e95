"""Finds the classes and the function around a line, and the dotted name under which the file is imported."""

from __future__ import annotations

import ast
import os

from ..project import Project


def enclosing(source: str, row: int) -> tuple[str, ...]:
    """Returns the classes around a line, then the outermost function, such as (`Model`, `forward`); empty outside."""
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
            # A definition under an `if` or in a `try` is still a name of the module.
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
    """Returns the `file`, its dotted name `module` in the project, and `top`, the directory to import that from."""
    module = project.module_name(file)
    top = os.path.abspath(file)
    for _ in range(module.count(".") + (os.path.basename(file) == "__init__.py") + 1):
        top = os.path.dirname(top)
    return {"file": os.path.abspath(file), "module": module, "top": top}
