"""The options by which verbs select findings and files, and the configuration that results from them."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..checks import registry
from ..model import CONFIDENCES
from ..project import Settings
from ..project.configuration import Configuration
from ..project.errors import ConfigurationError
from ..report import FORMATS
from .options import UsageError, choice, flag, several

if TYPE_CHECKING:
    from argparse import Namespace, _ActionsContainer, _ArgumentGroup
    from collections.abc import Sequence

    from .options import Parser

#: Options that override the configuration's key of the same name; `ignore` adds to it.
_NARROWING = ("select", "extend_select", "min_confidence", "notes", "force_exclude")
_OVERRIDES = (*_NARROWING, "cache_dir")


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
    group.add_argument(
        "--config",
        metavar="FILE|KEY=VALUE",
        action="append",
        default=[],
        help="use this configuration file and no other; or set a key: --config 'ignore=[\"IPL105\"]'",
    )
    flag(group, "--isolated", "read no configuration file")
    flag(group, "--no-cache", "look at all files anew, and keep nothing for the next run")
    group.add_argument(
        "--cache-dir",
        metavar="DIR",
        type=os.path.abspath,
        help="keep what is found there for the next run, not in .inplace_lint_cache in the project",
    )
    group.add_argument(
        "--force-exclude",
        action="store_const",
        const=True,
        help="leave out excluded files even if they are named",
    )
    return group


def add_report(parser: Parser) -> _ArgumentGroup:
    """The options that say how findings are reported."""
    group = parser.add_argument_group("Report")
    group.add_argument("--output-format", metavar="FORMAT", help="one of %(choices)s", **choice(*FORMATS))
    group.add_argument("--output-file", metavar="FILE", help="write the report there, not to standard output")
    add_colour(group)
    group.add_argument(
        "-q", "--quiet", action="store_true", help="print the findings, and nothing about them"
    )
    return group


def add_colour(to: _ActionsContainer) -> None:
    """The option that says whether there is colour."""
    to.add_argument(
        "--color",
        metavar="WHEN",
        default="auto",
        help="%(choices)s [auto: on a terminal, unless NO_COLOR or FORCE_COLOR is set]",
        **choice("auto", "always", "never"),
    )


def narrowed(options: Namespace) -> bool:
    """Whether the options, and not the configuration alone, say which findings are reported."""
    return any(getattr(options, name) is not None for name in (*_NARROWING, "ignore"))


def configuration(options: Namespace) -> Configuration:
    """The configuration that the options ask for. Raises UsageError."""
    file, inline = _configured(options.config, options.isolated)
    for name in ("select", "ignore", "extend_select"):
        for selector in getattr(options, name) or ():
            if registry.problem(selector):
                with_others()  # it may be one of theirs
            problem = registry.problem(selector)
            if problem:
                raise UsageError(f"--{name.replace('_', '-')}: {problem}")
    given = {name: getattr(options, name) for name in _OVERRIDES if getattr(options, name) is not None}
    overrides = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    if options.select:
        # What is selected here replaces all that the configuration selects.
        overrides.setdefault("extend_select", ())
    return Configuration(
        {**inline, **overrides},
        more_ignored=tuple(options.ignore or ()),
        file=file,
        isolated=options.isolated,
        selector_problem=registry.problem,
    )


def with_others() -> None:
    """Load the rules that the configuration of this directory names; what is wrong with it is told elsewhere."""
    with suppress(ConfigurationError):
        Configuration(selector_problem=registry.problem).settings(os.getcwd())


def _configured(words: Sequence[str], isolated: bool) -> tuple[str | None, dict[str, Any]]:
    """The file, and the keys with their values, that --config gives. Raises UsageError."""
    file: str | None = None
    values: dict[str, Any] = {}
    for word in words:
        if "=" in word and not os.path.isfile(word):
            from ..project.tables import inline

            try:
                values |= inline(word, registry.problem)
            except ValueError as error:
                raise UsageError(f"--config: {error}") from error
        elif isolated:
            raise UsageError("--isolated and --config FILE contradict each other")
        elif not os.path.isfile(word):
            raise UsageError(f"--config: there is no file {word}; a key is set as KEY=VALUE")
        elif file is not None:
            raise UsageError(f"--config names two files, {file} and {word}")
        else:
            file = word
    return file, values


def complete(options: Namespace, configuration: Configuration) -> None:
    """Fills in what the options leave to the configuration of the whole run. Raises UsageError."""
    settings = _of_run(configuration)
    options.output_format = options.output_format or settings.output_format
    if "unsafe_fixes" in options:
        options.unsafe_fixes = options.unsafe_fixes or settings.unsafe_fixes
        options.fail_on = options.fail_on or settings.fail_on
        options.baseline_said_by = "--baseline"
        if not options.baseline and not options.write_baseline and settings.baseline:
            options.baseline, options.baseline_said_by = (
                settings.baseline,
                _place(options, settings, "baseline"),
            )


def _place(options: Namespace, settings: Settings, key: str) -> str:
    """Where a key of the configuration was set, as the beginning of a message."""
    from ..project.tables import line_of

    if not settings.config_file or any(word.partition("=")[0].strip() == key for word in options.config):
        return f"--config: `{key}`"
    line = line_of(settings.config_file, key)
    return f"{settings.config_file}:{'' if line is None else f'{line}:'} `{key}`"


def _of_run(configuration: Configuration) -> Settings:
    """The settings of the directory in which the run was started. Raises UsageError."""
    try:
        settings = configuration.settings(os.getcwd())
    except ConfigurationError:
        # Who checks files elsewhere need not mend it; where it is in force, the files below it are told of it.
        return Settings()
    if settings.output_format not in FORMATS:
        formats = ", ".join(FORMATS)
        where = f"{settings.config_file}: " if settings.config_file else ""
        raise UsageError(f"{where}`output-format` must be one of {formats}, not `{settings.output_format}`")
    return settings
