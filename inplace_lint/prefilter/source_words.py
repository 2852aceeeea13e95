"""Searches the text of a file for whole names, and for where they are called or read."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from ..syntax.module import FunctionSource, Module


class Pattern:
    """A regular expression over bytes, compiled on the first call: few files need one, and `re` is slow to load."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._compiled: re.Pattern[bytes] | None = None

    def __call__(self) -> re.Pattern[bytes]:
        if self._compiled is None:
            import re

            self._compiled = re.compile(self._text)
        return self._compiled


def steps_something(source: FunctionSource) -> bool:
    """Whether the text of a function, of its class, or of a function of the file that it calls by name, trains."""
    if not runs_backward(source.module):
        return False
    functions = source.module.functions
    helpers = [functions[name] for name in called_in(source.text) if name in functions]
    texts = [source.text if source.owner is None else source.owner.text, *(f.text for f in helpers)]
    return any(takes_backward(text) and b".step(" in text and b"zero_grad(" in text for text in texts)


def mentions(module: Module, words: set[str]) -> list[int]:
    """The rows on which one of the names stands as a whole word."""
    return sorted(row for word in words for row in rows_with(module, word.encode(), stands))


def has_word(text: bytes, word: bytes) -> bool:
    """Whether a name stands in a text as a whole word."""
    return first_place(text, word, 0, len(text), stands) >= 0


def paths_in(text: bytes) -> set[bytes]:
    """The names in a text, alone and joined to the name after a dot: `self`, `conv` and `self.conv`."""
    found: set[bytes] = set()
    for path in text.translate(_PATHS).split():
        names = path.split(b".")
        found.update(names)
        found.update(map(b".".join, pairwise(names)))
    return found


def rows_with(module: Module, word: bytes, holds: Callable[[bytes, int, int], bool]) -> list[int]:
    """The rows on which a word stands where `holds(text, start, end)` is true."""
    source = module.source
    size = len(source)
    starts = module.row_starts
    rows = []
    position = first_place(source, word, 0, size, holds)
    while position >= 0:
        row = bisect_right(starts, position)
        rows.append(row)
        position = first_place(source, word, starts[row], size, holds)
    return rows


def first_place(
    text: bytes, word: bytes, start: int, end: int, holds: Callable[[bytes, int, int], bool]
) -> int:
    """The first position of a word where `holds` is true, or -1. Faster than compiling a pattern for each word."""
    position = text.find(word, start, end)
    while position >= 0 and not holds(text, position, position + len(word)):
        position = text.find(word, position + 1, end)
    return position


def stands(text: bytes, start: int, end: int) -> bool:
    """Whether a match is a whole word."""
    return text[start - 1 : start] not in _OF_NAMES and text[end : end + 1] not in _OF_NAMES


def may_be_read(text: bytes, start: int, end: int) -> bool:
    """Whether a match may be a name that is read: not in a `def`, and not at the start of a string."""
    return (
        text[start - 1 : start] not in (b"'", b'"')
        and text[start - 4 : start] != b"def "
        and stands(text, start, end)
    )


def begins_name(text: bytes, start: int) -> bool:
    """Whether a word begins here."""
    return text[start - 1 : start] not in _OF_NAMES


#: Maximum length of a name that is searched for backwards.
_LONGEST = 80


def last_word(text: bytes, end: int) -> str:
    """The name that ends at `end`."""
    word = text[max(0, end - _LONGEST) : end].translate(_NAMES).rpartition(b" ")[2].rpartition(b"(")[2]
    return word.decode(errors="replace")


def is_called(text: bytes, start: int, end: int) -> bool:
    """Whether a match is called, not defined."""
    return (
        text[end : end + 1] == b"("
        and text[start - 1 : start] not in _OF_NAMES
        and text[start - 4 : start] != b"def "
    )


def is_taken(text: bytes, start: int, end: int) -> bool:
    """Whether a function's name is called, or passed on as a value."""
    if text[end : end + 1] == b"(":
        return is_called(text, start, end)
    if not stands(text, start, end) or text[start - 1 : start] in _QUOTES or _BOUND().match(text, end):
        return False
    return text.rfind(b"import", text.rfind(b"\n", 0, start) + 1, start) < 0


def is_asked_of(text: bytes, start: int, end: int) -> bool:
    """Whether a method's name is called or passed on as one of an object: no bare name in a function is a method."""
    return text[start - 1 : start] == b"." and is_taken(text, start, end)


_QUOTES = (b"'", b'"')
#: What follows a name that is assigned or annotated, or that begins a dotted path.
_BOUND = Pattern(rb"\s*(?:=(?!=)|[.:\[]|[-+*/@|&]=|,\s*\w+\s*=)")


def is_read(text: bytes, start: int, end: int) -> bool:
    """Whether a match is an attribute that is read and not called (a property)."""
    return text[start - 1 : start] == b"." and text[end : end + 1] != b"(" and stands(text, start, end)


def is_run(text: bytes, start: int, end: int) -> bool:
    """Whether a class is instantiated, and the object is assigned or called at once."""
    if text[end : end + 1] != b"(" or text[start - 1 : start] in _OF_NAMES:
        return False
    stop = text.find(b"\n", end)
    if text.find(b")(", end, stop if stop >= 0 else len(text)) >= 0:
        return True
    return _KEPT().search(text, text.rfind(b"\n", 0, start) + 1, start) is not None


def may_run(text: bytes, start: int, end: int) -> bool:
    """Whether a module may run where it is named: not in `len(m)`, when it is replaced, or in `m = m[:2]`."""
    if not stands(text, start, end):
        return False
    if text[start - 4 : start] == b"len(" and text[end : end + 1] == b")":
        return False
    stop = text.find(b"\n", end)
    before = text[text.rfind(b"\n", 0, start) + 1 : start].strip()
    after = text[end : stop if stop >= 0 else len(text)]
    if not before:
        return _REPLACED().match(after) is None
    return before != text[start:end] + b" =" or _PART().match(after) is None


#: After an attribute: an assignment, or a subscript that keeps a part of it.
_REPLACED = Pattern(rb"[ \t]*=[^=]")
_PART = Pattern(rb"\[[^()]*\][ \t]*(?:#.*)?\Z")


def is_kept(text: bytes, start: int, end: int) -> bool:
    """Whether a function stands in a list, or is appended to one, and is not called."""
    if text[end : end + 1] not in (b",", b"]", b")") or not stands(text, start, end):
        return False
    before = text[text.rfind(b"\n", 0, start) + 1 : start]
    return b"(" not in before or b".append(" in before


_KEPT = Pattern(rb"=[ \t]*(?:\w+\.)*\Z")
#: The bytes that names are made of.
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" + bytes(range(0x80, 0x100))
_OF_NAMES = frozenset(map(bytes, zip(_LETTERS)))
_OTHERS = bytes(range(0x100)).translate(None, _LETTERS + b"(")

#: Translation that keeps names and `(` and blanks all else.
_NAMES = bytes.maketrans(_OTHERS, b" " * len(_OTHERS))
#: Translation that keeps names and dots and blanks all else.
_PATHS = _NAMES[:40] + b" " + _NAMES[41:46] + b"." + _NAMES[47:]
_LINES = _NAMES[:10] + b"\n" + _NAMES[11:]


def rows_of_calls(text: bytes) -> dict[bytes, list[int]]:
    """word -> rows on which it stands before `(`."""
    found: dict[bytes, list[int]] = {}
    for row, line in enumerate(text.translate(_LINES).split(b"\n"), 1):
        if b"(" in line:
            parts = line.split(b"(")
            parts.pop()
            for part in parts:
                word = part[part.rfind(b" ") + 1 :]
                if word in found:
                    found[word].append(row)
                else:
                    found[word] = [row]
    return found


def called_in(text: bytes) -> set[str]:
    """The words before `(` in a text. (A pattern would take ten times as long.)"""
    parts = text.translate(_NAMES).split(b"(")
    parts.pop()
    words = b" ".join({part.rpartition(b" ")[2] for part in parts})
    return set(words.decode(errors="replace").split())


def runs_backward(module: Module) -> bool:
    """Whether a file calls `.backward(…)`."""
    return not called(module).isdisjoint(BACKWARDS) and takes_backward(module.source)


def takes_backward(text: bytes) -> bool:
    """Whether a text calls `.backward(…)`, or Lightning's method for it."""
    return any(f".{word}(".encode() in text for word in BACKWARDS)


#: Methods that run a backward: a tensor's, and Lightning's for it.
BACKWARDS = ("backward", "manual_backward")


def called(module: Module) -> set[str]:
    """The words before `(` in a file."""
    if module.memo.called is None:
        module.memo.called = called_in(module.source)
    return module.memo.called
