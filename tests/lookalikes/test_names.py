"""Findings do not hang on names: with every name of its own replaced, a program gives the same findings.

What stays is what PyTorch and Python give a meaning: methods such as `forward`, `out`, attributes and keywords, an
underscore at either end.
"""

from __future__ import annotations

import ast
import io
import keyword
import re
import tokenize
from pathlib import Path

import pytest

from inplace_lint.engine.pipeline import examine
from inplace_lint.project import Settings

CASES = sorted((Path(__file__).parents[2] / "rules").glob("*/cases/*.py"))


def renamed(source: str) -> str:
    """The same program, line by line, under names that mean nothing."""
    tree = ast.parse(source)
    own: set[str] = set()
    kept = {"out", "forward"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            own.add(node.name)
        elif isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.Attribute):
            kept.add(node.attr)
        elif isinstance(node, ast.keyword) and node.arg:
            kept.add(node.arg)
        elif isinstance(node, ast.alias):
            kept.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            kept.update(
                node.value.replace("[", " ").replace("]", " ").split()
            )  # annotations, `__all__`, `out`
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and "inplace-lint:" in token.string:
            kept.update(re.findall(r"\w+", token.string))  # what a comment declares of parameters names them
    names: dict[str, str] = {}
    for name in sorted(own - kept):
        if not name.startswith("__") and not keyword.iskeyword(name):
            ends = ("_" if name.startswith("_") else "", "_" if name.endswith("_") else "")
            names[name] = f"{ends[0]}q{len(names)}{ends[1]}"
    lines = source.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(source).readline))):
        if token.type == tokenize.NAME and token.string in names:
            row, start = token.start
            line = lines[row - 1]
            lines[row - 1] = line[:start] + names[token.string] + line[token.end[1] :]
    return "".join(lines)


def findings(name: str, source: str) -> list[tuple[int, str, str, str]]:
    found = examine(name, source.encode(), Settings(notes=True))
    return sorted((one.location.row, one.code, one.severity, one.confidence) for one in found)


def test_names_are_replaced():
    assert "q0" in renamed("mask = 1\nprint(mask)\n")
    assert "mask" not in renamed("mask = 1\nprint(mask)\n")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parts[-3][:6]}-{case.stem}")
def test_findings_are_the_same_under_other_names(case):
    source = case.read_text(encoding="utf-8")
    assert findings("q.py", renamed(source)) == findings(case.name, source)
