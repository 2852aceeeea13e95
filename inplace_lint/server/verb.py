"""The verb `server`: speaks to an editor over standard input and output, or over a port of this machine."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from ..cli.options import UsageError, Verb

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import BinaryIO

    from ..cli.options import Parser


def _run(options: Namespace) -> int:
    """Answers an editor until it goes. Raises UsageError."""
    if options.arguments:
        raise UsageError(
            "server takes no arguments: an editor starts it, and speaks through its input and output"
        )
    if options.stdio and options.tcp is not None:
        raise UsageError("--stdio and --tcp contradict each other")
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
    source, target = _streams() if options.tcp is None else _connection(options.tcp)
    Features().client.start_io(source, target)
    return 0


def _streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output."""
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no message
    return source, target


def _connection(port: int) -> tuple[BinaryIO, BinaryIO]:
    """What comes and goes through a port of this machine, by who connects first; no other can. Raises UsageError."""
    import socket

    try:
        server = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise UsageError(f"port {port} cannot be used: {os.strerror(error.errno or 0)}") from error
    with server:
        print(f"Waiting for an editor at 127.0.0.1:{server.getsockname()[1]}.", file=sys.stderr, flush=True)
        connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection.makefile("rb"), connection.makefile("wb")


def _options(parser: Parser) -> None:
    parser.add_argument(
        "--stdio", action="store_true", help="speak over standard input and output; so if nothing is said"
    )
    parser.add_argument(
        "--tcp",
        metavar="PORT",
        type=_port,
        help="speak over a port of this machine, 0 for any, to one editor",
    )
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)


def _port(text: str) -> int:
    port = int(text) if text.isdecimal() and text.isascii() else -1
    if not 0 <= port < 1 << 16:
        raise argparse.ArgumentTypeError(f"needs a number from 0 to 65535, not `{text}`")
    return port


VERB = Verb(
    "",
    "Answer an editor in the language server protocol, over standard input and output: findings while you type,\n"
    "with their other places, fixes, and pages of the rules. Needs the extra `lsp`: pip install 'inplace-lint[lsp]'.",
    _run,
    _options,
)
