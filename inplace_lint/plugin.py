"""What rules of others are made of: `Rule`, the `File` that it is shown, the `Finding` that it gives.

docs/own-rules.md has an example.

This interface is kept as it is within a minor version; nothing else of the package is promised to rules.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from .model import Diagnostic, Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Diagnostic", "File", "Finding", "Location", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it is called, and the function that is shown each file and yields its findings.

    `code` is two to six capitals, not IPL, and three or four digits. `name` is in small letters and hyphens. `severity`
    is error, warning or note; notes never change the exit code. `page` is what `inplace-lint rule CODE` prints, in
    Markdown; `url` is where more stands, or empty.
    """

    code: str
    name: str
    severity: str
    summary: str
    check: Callable[[File], Iterable[Finding]]
    page: str = ""
    since: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A place that breaks a rule: a node of the file's tree, or a Location; what is wrong; one line of advice.

    `others` are further places, each with what happens there. `confidence` is possible, likely or certain.
    """

    at: ast.AST | Location
    message: str
    help: str = ""
    others: Sequence[tuple[ast.AST | Location, str]] = ()
    confidence: str = "certain"


class File:
    """One file as a rule sees it: its name as it is shown, its text, its syntax tree, what inplace-lint itself found.

    Of a notebook it is the program that its cells make. A rule reads it and changes nothing: all rules are given the
    same tree.
    """

    def __init__(
        self,
        filename: str,
        text: str,
        tree: ast.Module,
        findings: Sequence[Diagnostic],
        dotted: Callable[[ast.expr], str],
    ) -> None:
        self.filename = filename
        self.text = text
        self.tree = tree
        #: inplace-lint's own findings, before any is selected, silenced or left out as not sure enough
        self.findings = tuple(findings)
        self._dotted = dotted

    def dotted(self, node: ast.expr) -> str:
        """The full name of something imported: `torch.nn.functional.relu` of `F.relu`; "" where it is none."""
        return self._dotted(node)

    def calls(self, *names: str) -> Iterator[ast.Call]:
        """The calls of functions of these full names, in the order of the text; all calls if none is given."""
        return (node for node in self._calls if not names or self.dotted(node.func) in names)

    @cached_property
    def _calls(self) -> list[ast.Call]:
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return sorted(calls, key=lambda node: (node.lineno, node.col_offset))
