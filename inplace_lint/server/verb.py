"""The verb `server`: speaks to an editor over standard input and output."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from ..cli.options import UsageError, Verb

if TYPE_CHECKING:
    from argparse import Namespace

    from ..cli.options import Parser


def _run(options: Namespace) -> int:
    """Answers an editor until it goes. Raises UsageError."""
    if options.arguments:
        raise UsageError(
            "server takes no arguments: an editor starts it, and speaks through its input and output"
        )
    if options.worker:
        from . import worker

        return worker.main()
    try:
        from .features import Features
    except ImportError as error:
        if (error.name or "").startswith("inplace_lint"):
            raise
        raise UsageError(
            "the server needs pygls, version 2 or newer: pip install 'inplace-lint[lsp]'"
        ) from error
    import gc

    gc.enable()
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no message
    Features().client.start_io(source, target)
    return 0


def _options(parser: Parser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="speak over standard input and output; always so"
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)


VERB = Verb(
    "",
    "Answer an editor in the language server protocol, over standard input and output: findings while you type,\n"
    "with their other places, fixes, and pages of the rules. Needs the extra `lsp`: pip install 'inplace-lint[lsp]'.",
    _run,
    _options,
)
