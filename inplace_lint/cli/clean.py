"""The verb `clean`: removes what earlier runs have kept."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from ..engine import cache, store
from ..project.configuration import Configuration
from ..project.errors import ConfigurationError
from ..project.paths import shown
from ..report.style import safe
from . import CLEAN, WRONG, complain
from .options import UsageError, Verb

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from .options import Parser


def _options(parser: Parser) -> None:
    parser.add_argument(
        "--cache-dir",
        metavar="DIR",
        type=os.path.abspath,
        help="remove what was kept there, and nothing else",
    )


def run(options: Namespace) -> int:
    """Removes the caches of the named directories and of all below them. Raises UsageError."""
    if options.cache_dir and options.arguments:
        raise UsageError("--cache-dir names what is removed: it does not go with directories")
    code, removed = CLEAN, 0
    paths = [options.cache_dir] if options.cache_dir else dict.fromkeys(_caches(options.arguments or ["."]))
    for path in paths:
        try:
            gone = store.clean(path)
        except OSError as error:
            code = WRONG
            complain(f"{shown(path)} cannot be removed: {error.strerror or error}")
            continue
        if gone:
            removed += 1
            print(f"Removed {safe(shown(path))}")
    if not removed and code == CLEAN:
        print("Nothing to remove.")
    return code


def _caches(directories: list[str]) -> Iterator[str]:
    """Where there may be caches: that of each directory, and what has the name of one below it."""
    for directory in directories:
        if not os.path.isdir(directory):
            raise UsageError(f"there is no directory {directory}")
        with suppress(ConfigurationError):  # what is below is removed all the same
            yield cache.directory(Configuration().settings(directory))
        for folder, below, _ in os.walk(directory):
            if store.NAME in below:
                yield os.path.join(os.path.abspath(folder), store.NAME)
            below[:] = [name for name in below if name not in (store.NAME, ".git", "node_modules")]


VERB = Verb(
    "[DIRECTORIES...]",
    "Remove what earlier runs kept of their findings, in the working directory or in those that are named.",
    run,
    _options,
)
