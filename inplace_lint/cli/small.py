"""The small verbs: rule, op, explain, config, version."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..project.reading import read
from .cells import in_cell
from .options import UsageError, Verb, choice, flag, whole

if TYPE_CHECKING:
    from argparse import Namespace

    from .options import Parser


def _rule(options: Namespace) -> int:
    from ..checks import registry
    from .selection import with_others

    names = options.arguments
    with_others()
    rules = list(registry.every())
    if names:
        for name in names:
            if registry.find(name) is None:
                raise UsageError(registry.problem(name) or f"`{name}` is a prefix, not one rule")
        rules = [rule for name in names if (rule := registry.find(name)) is not None]
    if options.output_format == "json":
        import json

        found = [
            {
                "code": rule.code,
                "name": rule.name,
                "severity": rule.severity,
                "since": rule.since,
                "summary": rule.summary,
                "explanation": _page(rule.code),
                "url": registry.published(rule.code),
            }
            for rule in rules
        ]
        print(json.dumps(found[0] if len(names) == 1 else found, indent=2))
    elif names or options.all:
        print("\n\n".join(_page(rule.code) for rule in rules))
    else:
        for rule in rules:
            print(f"{rule.code}  {rule.name:30} {rule.severity:8} {rule.summary}")
    return 0


def _page(code: str) -> str:
    from ..checks import registry

    rule = registry.find(code)
    assert rule is not None
    return registry.text_of(rule).rstrip("\n")


def _op(options: Namespace) -> int:
    if not options.arguments:
        raise UsageError("op needs the name of an operation: inplace-lint op sigmoid_")
    from ..torchmodel.words import describe, missing

    for number, name in enumerate(options.arguments):
        text = describe(name, options.inplace)
        if text is None:
            raise UsageError(missing(name) or f"no PyTorch operation is called `{name}`")
        print(("\n" if number else "") + text.rstrip("\n"))
    return 0


def _explain(options: Namespace) -> int:
    places = options.arguments
    if len(places) != 1:
        raise UsageError("explain needs one place: inplace-lint explain model.py:12")
    filename, _, line = places[0].rpartition(":")
    # An editor's FILE:LINE:COLUMN is as good.
    if whole(filename.rpartition(":")[2]) and whole(line):
        filename, _, line = filename.rpartition(":")
    if not filename or not whole(line):
        raise UsageError(f"`{places[0]}` is no place: write it as model.py:12")
    filename, cell = in_cell(filename)
    try:
        source = read(filename, pipes=True)
    except OSError as error:
        raise UsageError(f"{filename}: cannot be read: {error.strerror}") from error
    if cell:
        from .cells import explained

        return _print(explained(filename, source, cell, int(line), _told))
    last = source.count(b"\n") + (not source.endswith(b"\n"))
    if int(line) > last:
        raise UsageError(f"{filename} has {last} lines, there is no line {line}")
    return _print(_told(filename, source, int(line)))


def _told(filename: str, source: bytes, line: int) -> str:
    """What the analysis knows at a line. Raises UsageError."""
    from ..explain.explain import explain
    from ..project import Project
    from ..project.configuration import Configuration
    from ..project.errors import ConfigurationError
    from ..project.paths import shown
    from ..syntax.unreadable import UnreadableFile

    try:
        settings = Configuration().settings(os.path.dirname(os.path.abspath(filename)))
    except ConfigurationError as error:
        raise UsageError(str(error)) from error
    try:
        return explain(shown(filename), source, line, Project.of(settings))
    except UnreadableFile as error:
        place = f"{filename}:{error.row}:{error.column}"
        raise UsageError(f"{place} cannot be read: {error.message}") from error


def _print(text: str) -> int:
    from ..report.style import safe

    print("\n".join(map(safe, text.rstrip("\n").split("\n"))))
    return 0


def _config(options: Namespace) -> int:
    from ..checks import registry
    from ..project.configuration import Configuration
    from ..project.errors import ConfigurationError
    from ..project.settings import OPTIONS
    from . import show

    if options.schema:
        from . import schema

        print(schema.document(), end="")
        return 0
    known = {option.name: option for option in OPTIONS}
    keys = options.arguments
    for key in keys:
        if key not in known:
            import difflib

            near = difflib.get_close_matches(key, known, n=1)
            advice = f"; did you mean `{near[0]}`?" if near else "; `inplace-lint config` lists the keys"
            raise UsageError(f"no option is called `{key}`{advice}")
    try:
        settings = Configuration(selector_problem=registry.problem).settings(".")
    except ConfigurationError as error:
        raise UsageError(str(error)) from error
    show.settings(settings, keys=keys)
    return 0


def _version(options: Namespace) -> int:
    from .. import __version__

    if options.arguments:
        raise UsageError("version takes no arguments")
    print(f"inplace-lint {__version__}")
    return 0


def _rule_options(parser: Parser) -> None:
    flag(parser, "--all", "print the pages of all rules")
    parser.add_argument(
        "--output-format", metavar="FORMAT", help="one of %(choices)s [text]", **choice("text", "json")
    )


RULE = Verb(
    "[CODE|NAME]",
    "Print what a rule finds, why that is bad and what to write instead; without a name, list the rules.",
    _rule,
    _rule_options,
)
OP = Verb(
    "NAME",
    "Print what a PyTorch operation saves for backward, what it writes, and what its result aliases.\n"
    "NAME is written as in code: exp_, torch.where, F.dropout, nn.SiLU, einsum, '+=', '[]='.",
    _op,
    lambda parser: flag(parser, "--inplace", "as called with inplace=True"),
)
EXPLAIN = Verb(
    "FILE:LINE",
    "Print what the analysis knows at a line: storages, their aliases, who saved them and when, grad mode.",
    _explain,
)
CONFIG = Verb(
    "[KEY]",
    "Print the options of [tool.inplace-lint] in pyproject.toml, or of inplace-lint.toml:\n"
    "what each means, and its value for the files of this directory.",
    _config,
    lambda parser: flag(parser, "--schema", "print a JSON schema of these options, for editors"),
)
VERSION = Verb("", "Print the version of inplace-lint.", _version)
