"""What a function returns is read off its text, and Python agrees."""

from __future__ import annotations

import pytest

from inplace_lint.syntax.module import Module
from inplace_lint.syntax.return_values import returned_calls, returns_its_first

TEXT = """
def plain(fn):
    return fn

def marked(fn):
    fn.mark = True
    return fn

def either(fn):
    if fn.__name__ == "x":
        return plain(fn)
    else:
        return marked(fn)

def rebound(fn):
    fn = marked(fn)
    return fn

def second(other, fn):
    return fn

def swapped(fn):
    return second(len, fn)

def wrapping(fn):
    def wrapper():
        return fn
    return wrapper

def sometimes(fn):
    if fn.__name__ == "x":
        return fn
    return lambda: fn

def yielding(fn):
    yield fn
    return fn

def around(fn):
    return turns(fn)

def turns(fn):
    return around(fn)

def silent(fn):
    fn.mark = True

def inner(fn):
    def helper():
        return None
    helper()
    return fn
"""
#: Whether each returns what it is given first, as its text alone shows.
GIVES = {
    "plain": True,
    "marked": True,
    "either": True,
    "rebound": False,  # it does, as Python sees; a name that is bound anew is not followed
    "second": False,
    "swapped": False,
    "wrapping": False,
    "sometimes": False,
    "yielding": False,
    "around": False,
    "silent": False,
    "inner": True,
}


@pytest.mark.parametrize("name", GIVES)
def test_what_hands_back_its_first_argument_does_so_in_python(name: str) -> None:
    source = Module("m.py", TEXT.encode()).functions[name]
    assert returns_its_first(source) is GIVES[name]
    if GIVES[name]:
        scope: dict[str, object] = {}
        exec(TEXT, scope)

        def one() -> None: ...

        assert scope[name](one) is one  # type: ignore[operator]  # a function of the text


def test_the_calls_that_a_function_may_return() -> None:
    text = (
        "def f(x):\n    log(x)\n    y = make(x)\n    z = other(x)\n    return [g(y) for y in z] if x else y\n"
    )
    source = Module("m.py", text.encode()).functions["f"]
    named = {call.func.id for call in returned_calls(source)}  # type: ignore[attr-defined]  # each calls a name
    assert named == {"make", "other", "g"}
