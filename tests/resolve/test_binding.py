"""Which parameter is given what is what Python gives it: each call of the table is also made."""

from __future__ import annotations

import ast

import pytest

from inplace_lint.resolve.binding import bind
from inplace_lint.syntax.module import Module

SIGNATURES = [
    "",
    "a",
    "a, b",
    "a, b=7",
    "a, /, b",
    "a, b, /, c=7",
    "*, a",
    "*, a=7, b",
    "a, *, b",
    "*a",
    "a, *b",
    "a=7, *b, c=8",
    "**a",
    "a, **b",
    "a, /, **b",
    "*a, **b",
    "a, b=7, *c, d, e=8, **f",
    "a, /, b, *, c",
]
CALLS = [
    "",
    "1",
    "1, 2",
    "1, 2, 3, 4",
    "a=1",
    "b=1",
    "1, a=2",
    "1, b=2",
    "1, 2, b=3",
    "1, d=2",
    "1, 2, c=3",
    "b=1, a=2",
    "1, 2, 3, d=4, g=5",
    "1, c=2, b=3",
    "self=1",
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("signature", SIGNATURES)
def test_arguments_go_where_python_puts_them(signature: str, call: str) -> None:
    text = f"def f({signature}):\n    return locals()\n"
    space: dict[str, object] = {}
    exec(text, space)
    source = Module("f.py", text.encode()).functions["f"]
    given: ast.Call = ast.parse(f"f({call})", mode="eval").body  # type: ignore[assignment]
    bound = bind(
        source,
        [ast.literal_eval(one) for one in given.args],
        {str(one.arg): ast.literal_eval(one.value) for one in given.keywords},
    )
    defaults = {one.arg: source.default_of(one) for one in bound.missing}
    try:
        expected = eval(f"f({call})", space)
    except TypeError:
        assert not bound.fits or None in defaults.values()
        return
    assert bound.fits
    arguments = source.node.args
    held = {**bound.named, **{name: ast.literal_eval(node) for name, node in defaults.items() if node}}
    if arguments.vararg is not None:
        held[arguments.vararg.arg] = tuple(bound.spare)
    if arguments.kwarg is not None:
        held[arguments.kwarg.arg] = bound.options
    assert held == expected


def test_what_belongs_nowhere_is_kept_apart() -> None:
    source = Module("f.py", b"def f(a):\n    pass\n").functions["f"]
    bound = bind(source, [1, 2], {"a": 3, "b": 4})
    assert (bound.fits, bound.named, list(bound.spare), bound.options) == (False, {"a": 3}, [2], {"b": 4})
