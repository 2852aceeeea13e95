"""Two rules of one's own: one asks the syntax tree, one asks what inplace-lint has found."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplace_lint.plugin import File, Finding, Rule

_PAGE = """\
# OWN101 seed-in-library

## What it does

Reports `torch.manual_seed` outside of `if __name__ == "__main__":`.

## Why is this bad

Whoever imports the file has their random numbers set.
"""


def seeds(file: File) -> Iterator[Finding]:
    """Calls of torch.manual_seed that run when the file is imported."""
    guarded = [node for node in ast.walk(file.tree) if isinstance(node, (ast.FunctionDef, ast.If))]
    inside = {inner for node in guarded for inner in ast.walk(node)}
    for call in file.calls("torch.manual_seed", "torch.random.manual_seed"):
        if call not in inside:
            yield Finding(call, "importing this file sets the random numbers of others", help="move it to `main`")


def hazards(file: File) -> Iterator[Finding]:
    """Files with more than one certain error: somebody should look at them as a whole."""
    errors = [one for one in file.findings if one.severity == "error" and one.confidence == "certain"]
    if len(errors) > 1:
        others = [(one.location, f"{one.code}: {one.message}") for one in errors[1:]]
        yield Finding(errors[0].location, f"{len(errors)} errors in one file", others=others)


RULES = [
    Rule("OWN101", "seed-in-library", "warning", "torch.manual_seed runs on import.", seeds, page=_PAGE),
    Rule("OWN102", "many-hazards", "note", "A file holds several errors that are certain.", hazards),
]
