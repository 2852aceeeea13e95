"""What a function does only where its caller turns a flag: read off, and asked of Python itself."""

from __future__ import annotations

import contextlib

import pytest

from inplace_lint.syntax.module import Module
from inplace_lint.syntax.optional_statements import only_when_asked

ASKED = [
    "def f(flag=False):\n    if flag:\n        used()",
    "def f(flag=True):\n    if not flag:\n        used()\n    else:\n        pass",
    "def f(flag=False):\n    for _ in 'a':\n        if flag and 1:\n            used()",
    "def f(*, flag=False, other=False):\n    if not (flag or other):\n        return 1\n    return used()",
    "def f(flag=True):\n    with open(__file__):\n        if flag:\n            raise ValueError\n        used()",
]
NOT_ASKED = [
    "def f(flag=False):\n    used()",
    "def f(flag=True):\n    if flag:\n        used()",
    "def f(flag=False):\n    flag = True\n    if flag:\n        used()",
    "def f(flag=False):\n    if flag:\n        return 1\n    return used()",
    "def f(flag=False):\n    for _ in [used()]:\n        if flag:\n            used()",
    "def f(flag=False):\n    if flag or used():\n        pass",
    "def f(flag=False, given=None):\n    if flag or given is None:\n        used()",
]


def function(text):
    return next(iter(Module("f.py", text.encode()).functions.values()))


def is_called(text):
    calls = []
    space = {"used": lambda: calls.append(1), "__file__": __file__}
    exec(text, space)
    with contextlib.suppress(ValueError):
        space["f"]()
    return bool(calls)


@pytest.mark.parametrize("text", ASKED)
def test_has_to_be_asked_for(text):
    assert only_when_asked(function(text), "used")
    assert not is_called(text)


@pytest.mark.parametrize("text", NOT_ASKED)
def test_is_done_without_being_asked_for(text):
    assert not only_when_asked(function(text), "used")
    assert is_called(text)
