"""Adds `# inplace-lint: ignore[…]` comments to lines with findings. No finding moves, no code changes."""

from __future__ import annotations

import ast
import tokenize
from collections import defaultdict
from io import StringIO
from typing import TYPE_CHECKING

from ..model import Diagnostic, Edit, Location, Refused
from ..project.suppressions import comments
from .text import SourceText, apply

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENS, _CLOSES = ("FSTRING_START", "TSTRING_START"), ("FSTRING_END", "TSTRING_END")


def ignored(source: bytes, findings: Sequence[Diagnostic]) -> tuple[bytes, list[Diagnostic]]:
    """The source with a comment for each finding, and the findings that no comment can reach.

    Raises Refused if the file cannot be written.
    """
    text = SourceText(source)
    plain = text.text.replace("\r\n", "\n").replace("\r", "\n")
    lines, closed = plain.split("\n"), closed_rows(plain)
    codes: dict[int, set[str]] = defaultdict(set)
    left = []
    for one in findings:
        span = range(one.location.end_row, one.location.row - 1, -1)
        row = next((row for row in span if row not in closed and row <= len(lines)), None)
        if row is None:
            left.append(one)
        else:
            codes[row].add(one.code)
    ours = {
        one.location.row: one
        for one in comments("", source)
        if one.own and not one.whole_file and not one.fault and one.selectors
    }
    edits = []
    for row, wanted in codes.items():
        known, added = ours.get(row), tuple(sorted(wanted))
        if known is not None and known.selectors:
            edits.append(Edit(known.with_selectors(known.selectors + added), known.location))
            continue
        end = len(lines[row - 1]) + 1
        comment = f"  # inplace-lint: ignore[{', '.join(added)}]"
        edits.append(Edit(comment, Location("", row, end, row, end)))
    changed = apply(text.text, edits)
    if ast.dump(ast.parse(text.encoded(changed))) != ast.dump(ast.parse(source)):
        raise Refused("a comment would change the program")
    return text.encoded(changed), left


def closed_rows(text: str) -> set[int]:
    """The rows that cannot end in a comment: inside a string, or before a backslash continuation."""
    rows: set[int] = set()
    commented: set[int] = set()
    opened: list[int] = []
    for token in tokenize.generate_tokens(StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            rows.update(range(token.start[0], token.end[0]))
        elif name == "COMMENT":
            commented.add(token.start[0])
        elif name in _OPENS:
            opened.append(token.start[0])
        elif name in _CLOSES:
            rows.update(range(opened.pop(), token.end[0]))
    continued = {row for row, line in enumerate(text.split("\n"), 1) if line.endswith("\\")}
    return rows | (continued - commented)
