"""Finds, by text, what a file imports, and the attributes that it sets of some object which it holds.

`net.act = Mine()` sets one. What a method sets of its own object is left out: that is found by the classes. Its
object goes by the name `self` there, in a body that stands as far in as a method's: a convention, which saves parsing
each file of a project. Under another name it counts as some object, and so does text in comments and strings: that
makes a fix unsafe. What is missed: a function within a function that names some other object so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: `held.name = …`, also with an annotation, an index or an operator before the sign.
_SET = re.compile(
    rb"([\w\])]+)\.(\w+)(?:\[[^\]\n]*\])?[ \t]*(?::[^=\n]{1,60})?(?:[-+*/@|&^%]|//|\*\*|<<|>>)?=(?!=)"
)
#: Functions that set the attribute whose name they are given: those of Python, `unittest.mock` and pytest.
_BY_NAME = re.compile(
    rb"\b(?:setattr|__setattr__|delattr|patch|object)\(\s*([\w.]*)[^\"'()]{0,200}[\"'](?:[\w.]*\.)?(\w+)[\"']"
)
#: A statement that stands so far in is taken to be in a method of a class.
_IN_A_METHOD = 8


def names_in(text: bytes) -> Iterator[str]:
    """The names of the attributes that a text sets of objects that it holds; some more than once."""
    for pattern in (_SET, _BY_NAME):
        for match in pattern.finditer(text):
            held, name = match.groups()
            begin = text.rfind(b"\n", 0, match.start()) + 1
            indent = len(text[begin : match.start()]) - len(text[begin : match.start()].lstrip(b" "))
            if held != b"self" or indent < _IN_A_METHOD:
                yield name.decode()


_IMPORT = re.compile(
    rb"^[ \t]*(?:from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]+))",
    re.MULTILINE,
)
_WORD = re.compile(rb"\w+")


def imports_in(text: bytes) -> Iterator[list[str]]:
    """The names in each import statement of a text, in order; an empty one comes first if it is relative."""
    for match in _IMPORT.finditer(text):
        level, module, members, plain = match.groups()
        names = [
            one.decode() for one in _WORD.findall(b" ".join((module or b"", members or b"", plain or b"")))
        ]
        yield ["", *names] if level else names
