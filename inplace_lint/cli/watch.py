"""Checks again whenever a file changes: looks at the times of all files; each check is a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NoReturn

from ..project.discovery import discover
from .options import UsageError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

    from ..project.configuration import Configuration

#: Seconds between two looks, and how many times what a look takes at least: so it takes a tenth of a processor at most.
PAUSE, SHARE = 0.3, 10

#: What a run depends on: each file with its time and size and its settings, and the configurations that cannot be used.
State = dict[str, object]


def watch(options: Namespace, configuration: Configuration) -> NoReturn:
    """Checks now, and again after each change, until Ctrl-C. Raises UsageError."""
    changing = [name for name in ("fix", "diff", "add_ignore", "write_baseline") if getattr(options, name)]
    if changing:
        raise UsageError(f"--watch reports: it does not go with --{changing[0].replace('_', '-')}")
    if "-" in options.arguments:
        raise UsageError("--watch looks at files: standard input does not change")
    main = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__main__.py")
    seen: State | None = None
    pause = PAUSE
    while True:
        before = time.perf_counter()
        now = state(options.arguments, configuration.afresh(), options.baseline)
        pause = max(PAUSE, SHARE * (time.perf_counter() - before))
        if now != seen:
            seen = now
            if sys.stdout.isatty():
                print("\x1b[2J\x1b[3J\x1b[H", end="", flush=True)
            subprocess.run([sys.executable, main, "check", *_words(options)], check=False)
            if not options.quiet:
                clock = time.strftime("%H:%M:%S")
                print(f"[{clock}] Watching for changes; Ctrl-C ends.", file=sys.stderr, flush=True)
        time.sleep(pause)


def _words(options: Namespace) -> list[str]:
    """The words of the call without --watch."""
    words = list(options.words)
    if "--" not in words:
        return [word for word in words if word != "--watch"]
    place = words.index("--")
    return [word for word in words[:place] if word != "--watch"] + words[place:]


def state(paths: Sequence[str], configuration: Configuration, baseline: str | None = None) -> State:
    """What a check of these paths depends on, as it is now."""
    targets, errors = discover(paths or ["."], configuration)
    found: State = {str(error): None for error in errors}
    for target in targets:
        found[target.filename] = (_content(target.filename), target.settings)
    if baseline is not None:
        found["baseline"] = _content(baseline)
    return found


def _content(filename: str) -> tuple[int, ...]:
    """What tells that a file has been written."""
    try:
        status = os.stat(filename)
    except OSError:
        return ()
    return (status.st_mtime_ns, status.st_size, status.st_ino)
