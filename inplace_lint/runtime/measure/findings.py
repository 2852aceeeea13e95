"""What `check` says of a measured target, and the target as its fixes would leave it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from ...checks import check_source, registry
from ...model import Diagnostic
from ...project import Project
from ...project import Settings as Configured
from ...project.paths import shown
from ...project.suppressions import suppress

UNRUN = "Not run yet: inplace-lint confirm gives a verdict."


def findings(filename: str, name: str, settings: Configured) -> list[Diagnostic]:
    """The findings inside the class or function called `name`."""
    source = Path(filename).read_bytes()
    found = check_source(shown(filename), source, settings, Project(settings.root, settings.src))
    span = _span(source, name)
    if span is None:
        return []
    found = [one for one in suppress(shown(filename), source, found, registry.problem) if one.code > "IPL099"]
    return [one for one in found if span[0] <= one.location.row <= span[1]]


def fixed(source: str, found: Sequence[Diagnostic]) -> str | None:
    """The source with the fixes of these findings applied; None if none has one. Overlapping ones are left out."""
    edits = [
        (
            edit.location.row,
            edit.location.column,
            edit.location.end_row,
            edit.location.end_column,
            edit.content,
        )
        for one in found
        if one.fix is not None
        for edit in one.fix.edits
    ]
    if not edits:
        return None
    lines = source.splitlines(keepends=True)
    begins = [0]
    for line in lines:
        begins.append(begins[-1] + len(line))
    text, last = source, len(source) + 1
    for row, column, end_row, end_column, content in sorted(set(edits), reverse=True):
        start, end = begins[row - 1] + column - 1, begins[end_row - 1] + end_column - 1
        if end <= last:
            text, last = text[:start] + content + text[end:], start
    return text


def _span(source: bytes, name: str) -> tuple[int, int] | None:
    """The rows of a class or function."""
    body: list[ast.stmt] = ast.parse(source).body
    span = None
    for part in name.split("."):
        node = next((one for one in body if getattr(one, "name", None) == part), None)
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            return span
        span, body = (node.lineno, node.end_lineno or node.lineno), node.body
    return span
