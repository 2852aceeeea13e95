"""Renders the rules that were broken, each with its page, whose Markdown subset is turned into HTML here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...checks import registry
from .text import plain, source, words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...model import Rule


def section(codes: Iterable[str]) -> str:
    """The rules of these codes, each to be opened."""
    broken = set(codes)
    rules = "\n".join(_rule(rule) for rule in registry.every() if rule.code in broken)
    return f'<section id="rules" aria-labelledby="rules-h"><h2 id="rules-h">Rules</h2>\n{rules}</section>'


def _rule(rule: Rule) -> str:
    text = registry.text_of(rule)
    address = registry.published(rule.code)
    link = f'<p><a href="{address}">{address}</a></p>' if address else ""
    head = f"<b>{rule.code} {rule.name}</b> {plain(rule.summary)}"
    return f'<details id="rule-{rule.code}"><summary>{head}</summary>{link}{page(text)}</details>'


def page(text: str) -> str:
    """A page below its title: headings, paragraphs, lists, samples of code, and code within a line."""
    parts: list[str] = []
    for number, block in enumerate(text.split("```")):
        if number % 2:  # the first line of a sample names its language
            code = "\n".join(source(line) for line in block.strip("\n").split("\n")[1:])
            parts.append(f'<pre class="code" role="group" tabindex="0" aria-label="Sample">{code}</pre>')
        else:
            parts += [_block(lines) for lines in block.split("\n\n") if lines.strip()]
    return "".join(parts)


def _block(lines: str) -> str:
    """A heading, or a paragraph and the list that may follow it."""
    if lines.lstrip().startswith("## "):
        return f"<h3>{plain(lines.strip()[3:])}</h3>"
    head, *items = (" ".join(part.split()) for part in f"\n{lines}".split("\n- "))
    told = "" if not head or head.startswith("# ") else f"<p>{words(head)}</p>"
    return told + (f"<ul>{''.join(f'<li>{words(item)}</li>' for item in items)}</ul>" if items else "")
