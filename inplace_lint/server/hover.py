"""Builds the hover text of a finding: its message, the rule's page, and the facts of the analysis at its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import registry
from ..report.findings import advice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Diagnostic


def told(findings: Sequence[Diagnostic], explained: str, markdown: bool = True) -> str:
    """The text of a hover; an editor that shows no Markdown gets what the command line prints."""
    bold, fence, end = ("**", "```text\n", "\n```") if markdown else ("", "", "")
    parts = []
    for one in findings:
        head = f"{bold}{one.code} {one.name}{bold} ({one.severity}, {one.confidence}): {one.message}"
        parts.append("\n".join([head, *(f"- {word} {text}" for word, text in advice(one))]))
    if explained:
        parts.append(f"What is known at this line:\n\n{fence}{explained.strip()}{end}")
    parts += (page(code) for code in dict.fromkeys(one.code for one in findings))
    return "\n\n---\n\n".join(parts)


def page(code: str) -> str:
    """A rule's page, its headings made smaller."""
    rule = registry.find(code)
    if rule is None:
        return ""
    lines = registry.text_of(rule).rstrip("\n").split("\n")
    fenced = False
    for number, line in enumerate(lines):
        fenced ^= line.startswith("```")
        if line.startswith("#") and not fenced:
            lines[number] = f"##{line}" if line.startswith("## ") else f"###{line[1:]}"
    return "\n".join(lines)
