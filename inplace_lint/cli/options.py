"""Reads a command line against a table of options. Importing `argparse` would cost a Python start."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class UsageError(Exception):
    """A command line that cannot be understood; the text says why and what would be."""


class Flag:
    """An option of a verb. Without a `metavar` it takes no value; `many` collects comma-separated values."""

    __slots__ = ("choices", "many", "meaning", "metavar", "name", "number")

    def __init__(
        self,
        name: str,
        meaning: str,
        metavar: str = "",
        choices: tuple[str, ...] = (),
        many: bool = False,
        number: bool = False,
    ) -> None:
        self.name = name
        self.meaning = meaning
        self.metavar = metavar
        self.choices = choices
        self.many = many
        self.number = number


class Verb:
    """A verb of the command line with its options, and how it is called."""

    __slots__ = ("arguments", "flags", "meaning", "name")

    def __init__(self, name: str, arguments: str, meaning: str, flags: tuple[Flag, ...] = ()) -> None:
        self.name = name
        self.arguments = arguments
        self.meaning = meaning
        self.flags = flags

    def parse(self, argv: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        """The given options by name without the dashes, and the other arguments. Raises UsageError."""
        flags = {flag.name: flag for flag in self.flags}
        values: dict[str, Any] = {}
        others: list[str] = []
        words = iter(argv)
        separated = "--" in argv
        for word in words:
            if word == "--":
                others.extend("./-" if word == "-" else word for word in words)
            elif word == "-" or not word.startswith("-"):
                others.append(word)
            else:
                if not separated and os.path.lexists(word):
                    raise UsageError(
                        f"`{word}` is an option, and a file here has that name: "
                        "write `--` between the options and the files"
                    )
                name, equals, value = word.partition("=")
                flag = flags.get(name)
                if flag is None:
                    raise UsageError(self._unknown(name, flags))
                if not flag.metavar:
                    if equals:
                        raise UsageError(f"{name} takes no value")
                    values[name[2:]] = True
                    continue
                if not equals:
                    given = next(words, None)
                    if given is None:
                        raise UsageError(f"{name} needs a value: {name} {flag.metavar}")
                    value = given
                checked = _checked(flag, value)
                before = values.get(name[2:], ()) if flag.many else ()
                values[name[2:]] = before + checked if flag.many else checked
        return values, others

    def help(self) -> str:
        """What `--help` prints."""
        lines = [self.meaning, "", f"Usage: inplace-lint {self.name} {self.arguments}".rstrip()]
        if self.flags:
            heads = [f"{flag.name} {flag.metavar}".rstrip() for flag in self.flags]
            width = max(map(len, heads)) + 2
            lines += ["", "Options:"]
            for head, flag in zip(heads, self.flags, strict=True):
                meaning = flag.meaning + (f" [{', '.join(flag.choices)}]" if flag.choices else "")
                lines.extend(_folded(f"  {head:{width}}", meaning))
        return "\n".join(lines)

    def _unknown(self, name: str, flags: dict[str, Flag]) -> str:
        import difflib

        near = difflib.get_close_matches(name, flags, n=1)
        advice = f"; did you mean {near[0]}?" if near else f"; see inplace-lint {self.name} --help"
        return f"unknown option {name}{advice}"


def _checked(flag: Flag, value: str) -> Any:
    if flag.many:
        parts = tuple(part.strip() for part in value.split(",") if part.strip())
        if not parts:
            raise UsageError(f"{flag.name} needs a value: {flag.name} {flag.metavar}")
        return parts
    if flag.choices and value not in flag.choices:
        raise UsageError(f"{flag.name} must be one of {', '.join(flag.choices)}, not `{value}`")
    if flag.number:
        number = whole(value)
        if not number:
            raise UsageError(f"{flag.name} needs a number from 1 upwards, not `{value}`")
        return number
    return value


def whole(text: str) -> int:
    """The whole number that a text says; 0 where it says none from 1 upwards, or a monstrous one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0


def _folded(head: str, text: str, width: int = 100) -> list[str]:
    """`text` beside `head`, folded between words and aligned."""
    lines, indent = [head], len(head)
    for word in text.split():
        if len(lines[-1]) + len(word) + 1 > width and len(lines[-1]) > indent:
            lines.append(" " * indent)
        lines[-1] += (" " if len(lines[-1]) > indent else "") + word
    return lines
