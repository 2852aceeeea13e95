"""Parses a command line with argparse: the options of each verb, and error messages that help."""

from __future__ import annotations

import argparse
import os
from argparse import ArgumentTypeError, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class UsageError(Exception):
    """A command line that cannot be understood; the text says why and what would be."""


class Answered(Exception):
    """What was asked for, such as help, is printed: nothing is left to do."""


@dataclass(frozen=True)
class Verb:
    """A verb of the command line: how it is called, what it does, the options it takes, and what runs it.

    With `program` its arguments are a program and that program's own words.
    """

    usage: str
    meaning: str
    run: Callable[[Namespace], int]
    options: Callable[[Parser], object] = lambda parser: None
    program: bool = False

    def parser(self, name: str) -> Parser:
        """The verb's options, ready to read a command line."""
        parser = Parser(
            prog=f"inplace-lint {name}", usage=f"%(prog)s {self.usage}".rstrip(), description=self.meaning
        )
        self.options(parser)
        return parser

    def call(self, name: str, argv: Sequence[str]) -> int:
        """Runs the verb with the words that follow its name. Raises UsageError."""
        parser = self.parser(name)
        return self.run(parser.read_program(argv) if self.program else parser.read(argv))


class Parser(argparse.ArgumentParser):
    """One verb's options. What is no option is an argument of the verb, wherever it stands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, formatter_class=_Layout, allow_abbrev=False, exit_on_error=False)
        self._optionals.title = "Options"

    def read(self, argv: Sequence[str]) -> Namespace:
        """The options given, the verb's `arguments`, and all `words` as they stand. Raises UsageError."""
        own, after = list(argv), []
        if "--" in own:
            after = ["./-" if word == "-" else word for word in own[own.index("--") + 1 :]]
            own = own[: own.index("--")]
        else:
            self._refuse_ambiguous(own)
        try:
            options, left = self.parse_known_args(own)
        except argparse.ArgumentError as error:
            raise UsageError(self._wrong(error)) from error
        for word in left:
            if word.startswith("-") and word != "-":
                raise UsageError(self._unknown(word.partition("=")[0]))
        options.arguments, options.words = [*left, *after], list(argv)
        return options

    def read_program(self, argv: Sequence[str]) -> Namespace:
        """The options before a program, the `program` with its own words, and whether it `is_module`."""
        place = 0
        while place < len(argv) and argv[place].startswith("-") and argv[place] not in ("-m", "--"):
            action = self._option_string_actions.get(argv[place])
            place += 1 if action is None or action.nargs == 0 else 2
        options = self.read(argv[:place])
        options.is_module = argv[place : place + 1] == ["-m"]
        program = list(argv[place:])
        options.program = program[1:] if program[:1] in (["-m"], ["--"]) else program
        return options

    def format_help(self) -> str:
        import shutil

        width = min(100, shutil.get_terminal_size().columns)
        self.formatter_class = lambda prog: _Layout(prog, width)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Raises UsageError, in place of ending the process."""
        raise UsageError(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raises Answered, in place of ending the process."""
        raise Answered

    def _refuse_ambiguous(self, words: Iterable[str]) -> None:
        for word in words:
            if word.startswith("-") and word != "-" and os.path.lexists(word):
                raise UsageError(
                    f"`{word}` is an option, and a file here has that name: "
                    "write `--` between the options and the files"
                )

    def _wrong(self, error: argparse.ArgumentError) -> str:
        name = (error.argument_name or "").rpartition("/")[2]
        action = self._option_string_actions[name]
        if isinstance(error.__context__, ArgumentTypeError) and str(error.__context__):
            return f"{name} {error.__context__}"
        return (
            f"{name} takes no value"
            if action.nargs == 0
            else f"{name} needs a value: {name} {action.metavar}"
        )

    def _unknown(self, name: str) -> str:
        import difflib

        near = difflib.get_close_matches(name, self._option_string_actions, n=1)
        return f"unknown option {name}; " + (
            f"did you mean {near[0]}?" if near else f"see {self.prog} --help"
        )


class _Layout(argparse.RawDescriptionHelpFormatter):
    """Help as wide as is easily read. argparse asks for one with every option: to ask the terminal would cost time."""

    def __init__(self, prog: str, width: int = 100) -> None:
        super().__init__(prog, max_help_position=32, width=width)

    def add_usage(self, usage: Any, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, "Usage: ")


# What options take


def flag(to: argparse._ActionsContainer, name: str, meaning: str) -> None:
    """Adds an option that takes no value."""
    to.add_argument(name, action="store_true", help=meaning)


def several(text: str) -> tuple[str, ...]:
    """Values with commas between them."""
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not parts:
        raise ArgumentTypeError
    return parts


def number(text: str) -> int:
    """A whole number from 1 upwards."""
    if not whole(text):
        raise ArgumentTypeError(f"needs a number from 1 upwards, not `{text}`")
    return whole(text)


def choice(*names: str) -> dict[str, Any]:
    """What `add_argument` is told of an option that takes one of some names."""

    def one(text: str) -> str:
        if text not in names:
            raise ArgumentTypeError(f"must be one of {', '.join(names)}, not `{text}`")
        return text

    return {"type": one, "choices": names}


def whole(text: str) -> int:
    """The whole number that a text says; 0 where it says none from 1 upwards, or a monstrous one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
