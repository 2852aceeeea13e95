"""Whether a name is read after a call has been given what it stands for: Python runs the programs and says."""

from __future__ import annotations

import ast
from itertools import product
from textwrap import indent

import pytest

from inplace_lint.syntax.module import Module
from inplace_lint.syntax.surroundings import Surroundings

PROGRAM = """\
def f(rows, flags):
    v = new()
    {head}:
{body}
    {after}
"""
#: Loops, their bodies, and what comes after the loop. `call` is given `v`, and `use` reads something.
HEADS = ("for i in rows", "while flags and flags.pop()", "if rows")
BODIES = (
    "call(v)",
    "v = new()\ncall(v)",
    "v = new()\nuse(v)\ncall(v)",
    "use(v)\nv = new()\ncall(v)",
    "v = new(v)\ncall(v)",
    "call(v)\nv = new()\nuse(v)",
    "call(v)\nuse(v)",
    "if flags:\n    v = new()\ncall(v)",
    "v = w = new()\ncall(v)",
    "w, v = new(), new()\ncall(v)",
    "for v in rows:\n    call(v)",
    "for j in rows:\n    v = new()\n    call(v)",
    "v = new()\nfor j in rows:\n    call(v)",
    "use(v)\nfor j in rows:\n    v = new()\n    call(v)",
    "for v in fresh(rows):\n    call(v)\nuse(v)",
    "for v in fresh(rows):\n    call(v)\nelse:\n    use(v)",
    "for v in fresh(rows, use(v)):\n    call(v)",
    "for v in fresh(rows):\n    use(v)\n    call(v)",
    "w = call(v) if flags else use(v)",
    "v = new()\nw = call(v) if flags else use(v)",
    "v = new()\nw = use(v) if flags else call(v)",
    "for v in fresh(rows):\n    w = call(v) if flags else use(v)",
    "v = new()\nw = [call(v) if flags else 1, use(v)]",
    "while use(v) or flags and flags.pop():\n    v = new()\n    call(v)",
    "w = [call(v) for v in fresh(rows)]",
    "w = [call(v) for v in fresh(rows)]\nuse(v)",
    "w = [call(v) for v in fresh(rows)]\nw = [use(v) for v in fresh(rows)]",
    "w = [(call(v), use(v)) for v in fresh(rows)]",
    "w = [(use(v), call(v)) for v in fresh(rows)]",
    "w = [use(v) for v in fresh(rows) if not call(v)]",
    "w = [1 for v in fresh(rows) if not call(v)]",
    "w = {use(v): call(v) for v in fresh(rows)}",
    "w = {call(v): use(v) for v in fresh(rows)}",
    "w = [use(u) for v in fresh(rows) for u in (call(v), v)]",
    "v = new()\ncall(v)\nw = [use(v) for v in fresh(rows)]",
    "v = new()\ncall(v)\nw = [use(v) for u in fresh(rows)]",
    "v = new()\ncall(v)\nw = [use(v) for v in fresh(rows, use(v))]",
    "v = new()\ncall(v)\nw = {use(v): 1 for u in fresh(rows) for v in [u]}",
    "v = new()\nw = [use(v) for v in fresh(rows, call(v))]",
    "v = new()\nw = [use(v) for v in [call(v), v]]",
)
#: Those for which the answer may be that it is read, though it is not.
LOOSE = {
    "call(v)\nv = new()\nuse(v)",
    "if flags:\n    v = new()\ncall(v)",
    "w, v = new(), new()\ncall(v)",
    "w = call(v) if flags else use(v)",
}
AFTER = ("pass", "use(v)")


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("body", BODIES)
def test_a_name_that_python_reads_later_is_said_to_be(head: str, body: str) -> None:
    for after in AFTER:
        source = PROGRAM.format(head=head, body=indent(body, " " * 8), after=after)
        found = _says(source)
        assert found or not _reads(source), source
        assert found == _reads(source) or body in LOOSE, source


def _says(source: str) -> bool:
    module = Module("a.py", source.encode())
    (call,) = (
        node
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "call"
    )
    return Surroundings(module, call).read_later("v")


def _reads(source: str) -> bool:
    """Whether a run reads a value that `call` was given before."""
    given: list[object] = []
    read: list[object] = []

    def use(value: object) -> None:
        read.extend(one for one in given if one is value)

    def new(value: object = None) -> object:
        use(value)
        return object()

    def fresh(rows: list[object], *_: object) -> list[object]:
        return [object() for _ in rows]

    for rows, flags in product(
        ([], [object()], [object(), object()]), ([], [1], [1, 1, 1, 1], [0, 1, 1, 0, 1])
    ):
        names = {"new": new, "use": use, "call": given.append, "fresh": fresh}
        exec(source, names)
        names["f"](rows, [*flags])  # type: ignore[operator]  # the program's own function
        given.clear()
    return bool(read)
