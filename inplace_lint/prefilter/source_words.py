"""Searches the text of a file for whole names, and for where they are called or read."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from ..syntax.module import Module


class Pattern:
    """A regular expression over bytes; calling it gives it compiled, which few files need, and `re` is slow to load."""

    __slots__ = ("_compiled", "_text")

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._compiled: re.Pattern[bytes] | None = None

    def __call__(self) -> re.Pattern[bytes]:
        if self._compiled is None:
            import re

            self._compiled = re.compile(self._text)
        return self._compiled


def mentions(module: Module, words: set[str]) -> list[int]:
    """Rows on which one of the names stands."""
    return sorted(row for word in words for row in rows_with(module, word.encode(), stands))


def has_word(text: bytes, word: bytes) -> bool:
    """Whether a name stands in a text, and not only as a part of a longer one."""
    return first_place(text, word, 0, len(text), stands) >= 0


def paths_in(text: bytes) -> set[bytes]:
    """The names in a text, and each with the one that follows after a dot: `self`, `conv` and `self.conv`."""
    found: set[bytes] = set()
    for path in text.translate(_PATHS).split():
        names = path.split(b".")
        found.update(names)
        found.update(map(b".".join, pairwise(names)))
    return found


def rows_with(module: Module, word: bytes, holds: Callable[[bytes, int, int], bool]) -> list[int]:
    """Rows on which a word stands as it should, which is told by the text and where the word begins and ends in it."""
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
    """Where a word first stands as it should; -1 where it does not. (A pattern had to be compiled for each word.)"""
    position = text.find(word, start, end)
    while position >= 0 and not holds(text, position, position + len(word)):
        position = text.find(word, position + 1, end)
    return position


def stands(text: bytes, start: int, end: int) -> bool:
    """Whether no name goes on before or after a word."""
    return text[start - 1 : start] not in _OF_NAMES and text[end : end + 1] not in _OF_NAMES


def may_be_read(text: bytes, start: int, end: int) -> bool:
    """Whether it may be a name that is read: it is not defined there, and begins no string."""
    return (
        text[start - 1 : start] not in (b"'", b'"')
        and text[start - 4 : start] != b"def "
        and stands(text, start, end)
    )


def begins_name(text: bytes, start: int) -> bool:
    """Whether no name goes on before this place."""
    return text[start - 1 : start] not in _OF_NAMES


#: No name that is looked up by its end is longer.
_LONGEST = 80


def last_word(text: bytes, end: int) -> str:
    """The name that ends here."""
    word = text[max(0, end - _LONGEST) : end].translate(_NAMES).rpartition(b" ")[2].rpartition(b"(")[2]
    return word.decode(errors="replace")


def is_called(text: bytes, start: int, end: int) -> bool:
    """Whether a word is called, and not defined."""
    return (
        text[end : end + 1] == b"("
        and text[start - 1 : start] not in _OF_NAMES
        and text[start - 4 : start] != b"def "
    )


def is_taken(text: bytes, start: int, end: int) -> bool:
    """Whether a function is called, or handed on as a value, by its name or as a method of something."""
    if text[end : end + 1] == b"(":
        return is_called(text, start, end)
    if not stands(text, start, end) or text[start - 1 : start] in _QUOTES or _BOUND().match(text, end):
        return False
    return text.rfind(b"import", text.rfind(b"\n", 0, start) + 1, start) < 0


_QUOTES = (b"'", b'"')
#: What follows a name that is bound, or that begins a path.
_BOUND = Pattern(rb"\s*(?:=(?!=)|[.:\[]|[-+*/@|&]=|,\s*\w+\s*=)")


def is_read(text: bytes, start: int, end: int) -> bool:
    """Whether a word is an attribute that is read, and not called."""
    return text[start - 1 : start] == b"." and text[end : end + 1] != b"(" and stands(text, start, end)


def is_run(text: bytes, start: int, end: int) -> bool:
    """Whether a class is called and the object kept or called itself."""
    if text[end : end + 1] != b"(" or text[start - 1 : start] in _OF_NAMES:
        return False
    stop = text.find(b"\n", end)
    if text.find(b")(", end, stop if stop >= 0 else len(text)) >= 0:
        return True
    return _KEPT().search(text, text.rfind(b"\n", 0, start) + 1, start) is not None


def may_run(text: bytes, start: int, end: int) -> bool:
    """Whether a module may be run where it is named: not where it is counted, replaced, or a part of it kept."""
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


#: What follows an attribute that is assigned, and one of which a part is kept.
_REPLACED = Pattern(rb"[ \t]*=[^=]")
_PART = Pattern(rb"\[[^()]*\][ \t]*(?:#.*)?\Z")


def is_kept(text: bytes, start: int, end: int) -> bool:
    """Whether a function stands in a list, or is put into one, and is not called."""
    if text[end : end + 1] not in (b",", b"]", b")") or not stands(text, start, end):
        return False
    before = text[text.rfind(b"\n", 0, start) + 1 : start]
    return b"(" not in before or b".append(" in before


_KEPT = Pattern(rb"=[ \t]*(?:\w+\.)*\Z")
#: The bytes that names are made of.
_LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz" + bytes(range(0x80, 0x100))
_OF_NAMES = frozenset(map(bytes, zip(_LETTERS)))
_OTHERS = bytes(range(0x100)).translate(None, _LETTERS + b"(")

#: Bytes of names and opening parentheses as they are, all others blank.
_NAMES = bytes.maketrans(_OTHERS, b" " * len(_OTHERS))
#: Bytes of names and dots as they are, all others blank.
_PATHS = _NAMES[:40] + b" " + _NAMES[41:46] + b"." + _NAMES[47:]
_LINES = _NAMES[:10] + b"\n" + _NAMES[11:]


def rows_of_calls(text: bytes) -> dict[bytes, list[int]]:
    """The rows on which each word stands before an opening parenthesis."""
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
    """The words before an opening parenthesis. (A pattern would take ten times as long.)"""
    parts = text.translate(_NAMES).split(b"(")
    parts.pop()
    words = b" ".join({part.rpartition(b" ")[2] for part in parts})
    return set(words.decode(errors="replace").split())


def runs_backward(module: Module) -> bool:
    """Whether something in a file runs a backward by its name."""
    return "backward" in called(module) and b".backward(" in module.source


def called(module: Module) -> set[str]:
    """The words before an opening parenthesis in a file."""
    if module.memo.called is None:
        module.memo.called = called_in(module.source)
    return module.memo.called
