"""What is shown of a finding under the cursor: what it says, the rule's page, what the analysis knows at its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..checks import registry
from ..report.findings import advice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import Diagnostic


def told(findings: Sequence[Diagnostic], explained: str) -> str:
    """The text of a hover, as Markdown."""
    parts = []
    for one in findings:
        head = f"**{one.code} {one.name}** ({one.severity}, {one.confidence}): {one.message}"
        parts.append("\n".join([head, *(f"- {word} {text}" for word, text in advice(one))]))
    if explained:
        parts.append(f"What is known at this line:\n\n```text\n{explained.strip()}\n```")
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
