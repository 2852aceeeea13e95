"""Prepares a target to measure without running it: resolves `FILE::NAME`, checks it, applies its fixes to the text."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..checks import check_source, registry
from ..fixes.apply import fix_source
from ..fixes.text import SourceText
from ..model import Diagnostic
from ..project import Project, Settings
from ..project.configuration import Configuration
from ..project.errors import ConfigurationError
from ..project.paths import shown
from ..project.suppressions import suppress
from .problems import InputError


@dataclass(frozen=True, slots=True)
class Subject:
    """A class or function, written `FILE::NAME`. `fixed` is the file's text with the target's fixes, if any."""

    filename: str
    name: str
    settings: Settings
    findings: tuple[Diagnostic, ...]
    fixed: str | None


def subject(text: str) -> Subject:
    """Resolves `FILE::NAME`, checks the file and keeps the target's findings. Raises InputError."""
    filename, name = split(text)
    try:
        settings = Configuration().settings(os.path.dirname(os.path.abspath(filename)))
    except ConfigurationError as error:
        raise InputError(str(error)) from error
    with open(filename, "rb") as file:
        source = file.read()
    project = Project.of(settings)

    def lint(text: bytes) -> list[Diagnostic]:
        return check_source(shown(filename), text, settings, project)

    def within(text: bytes, found: Sequence[Diagnostic]) -> list[Diagnostic]:
        kept = suppress(shown(filename), text, list(found), registry.problem)
        span = _span(text, name)
        return [
            one
            for one in kept
            if span is not None and span[0] <= one.location.row <= span[1] and one.code > "IPL099"
        ]

    done = fix_source(source, within, lint, unsafe=True).source
    fixed = None if done == source else SourceText(done).text
    return Subject(filename, name, settings, tuple(within(source, lint(source))), fixed)


def split(text: str) -> tuple[str, str]:
    """Splits `FILE::NAME`. Raises InputError."""
    filename, separator, name = text.partition("::")
    if not separator or not filename or not name:
        raise InputError(f"`{text}` names no class or function: write it as model.py::Attention")
    if not os.path.isfile(filename):
        raise InputError(f"there is no file {filename}")
    return filename, name


def said(one: Diagnostic, verdict: str) -> dict[str, Any]:
    """Returns a finding with its verdict in the form that the HTML page shows."""
    return {
        "severity": one.severity,
        "code": one.code,
        "place": f"{one.location.filename}:{one.location.row}",
        "message": one.message,
        "labels": [
            f"{label.location.filename}:{label.location.row}: {label.message}" for label in one.labels
        ],
        "verdict": verdict,
    }


def _span(source: bytes, name: str) -> tuple[int, int] | None:
    """Returns the rows of a class or function; if it is not defined by a statement, those of its container, or None."""
    try:
        body: list[ast.stmt] = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError):
        return None
    span = None
    for part in name.split("."):
        node = next((one for one in body if getattr(one, "name", None) == part), None)
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            return span
        span, body = (node.lineno, node.end_lineno or node.lineno), node.body
    return span
