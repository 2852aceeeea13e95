"""Runs third-party rules on a file. A rule that fails becomes an IPL002 in its name and does not end the run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..model import CONFIDENCES, Diagnostic, Label, Location
from ..plugin import File, Finding
from ..project import extensions
from ..syntax.custom_ops import dotted
from . import places

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..plugin import Rule
    from ..project.settings import Settings
    from ..syntax.module import Module


def check(module: Module, settings: Settings, found: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    """The findings of the third-party rules that the configuration names."""
    text = module.commented.decode("utf-8", "replace")
    file = File(module.filename, text, module.tree, found, lambda node: dotted(module, node))
    for name in settings.rules:
        for rule in extensions.of(name):
            yield from _of_rule(module, name, rule, file)


def _of_rule(module: Module, name: str, rule: Rule, file: File) -> list[Diagnostic]:
    try:
        return [_diagnostic(module, rule, one) for one in rule.check(file)]
    except (Exception, SystemExit) as error:
        what = f"the rule {rule.code} of `{name}` failed on this file: {type(error).__name__}: {error}"
        place = Location(module.filename, 1, 1, 1, 2)
        return [Diagnostic("IPL002", places.rule_name("IPL002"), "error", "certain", what, place)]


def _diagnostic(module: Module, rule: Rule, found: Finding) -> Diagnostic:
    if not isinstance(found, Finding) or not isinstance(found.message, str) or not found.message:
        raise TypeError(f"a finding is an inplace_lint.plugin.Finding with a message, not {found!r}")
    labels = tuple(Label("alias", str(words), _place(module, at)) for at, words in found.others)
    sure = found.confidence
    if sure not in CONFIDENCES:
        raise ValueError(f"confidence is one of {', '.join(CONFIDENCES)}, not {sure!r}")
    severity = "note" if sure == "possible" else rule.severity
    place = _place(module, found.at)
    message, advice = " ".join(found.message.split()), " ".join(str(found.help).split())
    return Diagnostic(rule.code, rule.name, severity, sure, message, place, labels, help=advice)


def _place(module: Module, at: ast.AST | Location) -> Location:
    """The location of a third-party finding. Raises if it is not in this file."""
    if isinstance(at, Location):
        rows = range(1, len(module.lines) + 1)
        if at.filename != module.filename or at.row not in rows or at.end_row not in rows:
            raise ValueError(f"the place {at} is not in this file")
        return at
    if not isinstance(at, ast.AST) or not hasattr(at, "lineno"):
        raise TypeError(f"a finding stands at a node with a place, not at {at!r}")
    return places.location(module, at)
