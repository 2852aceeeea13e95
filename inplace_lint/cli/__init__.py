"""The command line: parses it, calls the verb, and turns the outcome into an exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The exit codes, as Ruff's: nothing found, something found, the call or the configuration is wrong.
CLEAN, FOUND, WRONG = 0, 1, 2


def main(argv: Sequence[str] | None = None) -> int:
    """Runs `inplace-lint` with these arguments, by default the process's, and returns its exit code."""
    from .options import Answered, UsageError

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # who started the process closed it
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  it stays open
    for stream in (sys.stdout, sys.stderr):
        # A file name or a source line that the terminal cannot show must not stop the run.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        from . import verbs

        code = verbs.run(list(sys.argv[1:] if argv is None else argv))
        sys.stdout.flush()
        return code
    except Answered:
        sys.stdout.flush()
        return CLEAN
    except UsageError as error:
        complain(str(error))
        return WRONG
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        silence()
        return CLEAN
    except OSError as error:  # a full disk, a working directory that is gone
        silence()
        complain(f"cannot go on: {error.strerror or error}")
        return WRONG


def entry() -> NoReturn:
    """The command itself: `main`, then the end of the process.

    Python would first take every syntax tree apart, which takes as long as checking them. Where a user's own program
    has run, it ends as it always does.
    """
    import gc

    gc.disable()  # what is imported and parsed holds no cycles: looking for some is a tenth of a short run
    code = main()
    if any(name in sys.modules for name in ("inplace_lint.runtime", "torch")):
        sys.exit(code)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        pass
    os._exit(code)


def complain(text: str) -> None:
    """Says what is wrong, on one line, whatever the names in it would make a terminal or a workflow do."""
    from ..report.style import safe

    print(f"inplace-lint: {safe(text)}", file=sys.stderr)


def silence() -> None:
    """Drops what is still to be written: the reader, such as `head`, has seen enough, or the disk is full.

    Otherwise Python would complain about that once more at its own exit.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
