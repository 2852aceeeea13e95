"""Which findings and files a call asks for: the options that verbs share, and the configuration that they make."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..checks import registry
from ..model import CONFIDENCES
from ..project.configuration import Configuration
from .options import UsageError, choice, flag, several

if TYPE_CHECKING:
    from argparse import Namespace, _ArgumentGroup

    from .options import Parser

#: Options that override the configuration's key of the same name; `ignore` adds to it.
_OVERRIDES = ("select", "extend_select", "min_confidence", "notes", "force_exclude")


def add_selection(parser: Parser) -> _ArgumentGroup:
    """The options that say which findings are reported."""
    group = parser.add_argument_group("Which findings")
    rules: dict[str, Any] = {"action": "extend", "type": several, "metavar": "RULES"}
    group.add_argument(
        "--select", help="report only these rules: codes, prefixes of codes, names or ALL", **rules
    )
    group.add_argument("--ignore", help="do not report these rules", **rules)
    group.add_argument("--extend-select", help="report these rules besides the selected ones", **rules)
    group.add_argument(
        "--min-confidence",
        metavar="LEVEL",
        help="report findings at least this sure (%(choices)s); `possible` ones are shown as notes",
        **choice(*CONFIDENCES),
    )
    group.add_argument(
        "--notes",
        action="store_const",
        const=True,
        help="report notes too; they never change the exit code",
    )
    return group


def add_configuration(parser: Parser) -> _ArgumentGroup:
    """The options that say which files are read, and which configuration."""
    group = parser.add_argument_group("Files and configuration")
    group.add_argument("--config", metavar="FILE", help="use this configuration file and no other")
    flag(group, "--isolated", "read no configuration file")
    group.add_argument(
        "--force-exclude",
        action="store_const",
        const=True,
        help="leave out excluded files even if they are named",
    )
    return group


def narrowed(options: Namespace) -> bool:
    """Whether the options, and not the configuration alone, say which findings are reported."""
    return any(getattr(options, name) is not None for name in (*_OVERRIDES, "ignore"))


def configuration(options: Namespace) -> Configuration:
    """The configuration that the options ask for. Raises UsageError."""
    if options.isolated and options.config:
        raise UsageError("--isolated and --config contradict each other")
    for name in ("select", "ignore", "extend_select"):
        for selector in getattr(options, name) or ():
            problem = registry.problem(selector)
            if problem:
                raise UsageError(f"--{name.replace('_', '-')}: {problem}")
    given = {name: getattr(options, name) for name in _OVERRIDES if getattr(options, name) is not None}
    overrides = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    if options.select:
        # What is selected here replaces all that the configuration selects.
        overrides.setdefault("extend_select", ())
    if options.config is not None and not os.path.isfile(options.config):
        raise UsageError(f"--config: there is no file {options.config}")
    return Configuration(
        overrides,
        more_ignored=tuple(options.ignore or ()),
        file=options.config,
        isolated=options.isolated,
        selector_problem=registry.problem,
    )
