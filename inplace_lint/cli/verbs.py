"""Which verbs there are, and which of them a command line names."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from .options import UsageError, Verb

if TYPE_CHECKING:
    from collections.abc import Sequence


class Row(NamedTuple):
    """A verb as the list of verbs shows it, and where it is written: `module.NAME`, from this package on."""

    called: str
    summary: str
    place: str
    runs_code: bool = False  # a user's own program runs


VERBS = {
    row.called.partition(" ")[0]: row
    for row in (
        Row("check [PATHS...]", "check files and directories; what is run if no verb is named", "check.VERB"),
        Row("rule [CODE|NAME]", "what a rule finds, why, and what to write instead", "small.RULE"),
        Row("op NAME", "what a PyTorch operation saves, writes and aliases", "small.OP"),
        Row("explain FILE:LINE", "what the analysis knows at a line", "small.EXPLAIN"),
        Row(
            "confirm [PATHS]",
            "check, then run what was found and say whether it really happens (runs your code)",
            "confirm.VERB",
            True,
        ),
        Row(
            "trace SCRIPT|-m M",
            "run a program and report hazards before backward runs (runs your code)",
            "trace.VERB",
            True,
        ),
        Row(
            "measure FILE::NAME",
            "peak memory over sequence lengths, by source line (runs your code)",
            "measure.MEASURE",
            True,
        ),
        Row(
            "capture SCRIPT|-m M",
            "record what each class is given while your own program runs",
            "measure.CAPTURE",
            True,
        ),
        Row(
            "config [KEY]", "the options of the configuration, with the values in force here", "small.CONFIG"
        ),
        Row("server", "answer an editor in the language server protocol", ".server.verb.VERB"),
        Row("clean [DIRECTORIES]", "remove what earlier runs kept of their findings", "clean.VERB"),
        Row("completion SHELL", "a script that makes your shell complete words", "completion.VERB"),
        Row("version", "the version of inplace-lint", "small.VERSION"),
    )
}


def usage() -> str:
    """What `inplace-lint --help` prints."""
    rows = "\n".join(f"  {row.called:20}  {row.summary}" for row in VERBS.values())
    return f"""\
inplace-lint finds in-place writes that break PyTorch's backward, before the code runs.

Usage: inplace-lint [check] [PATHS... | -] [OPTIONS]

Verbs:
{rows}

inplace-lint VERB --help tells more.
Exit codes: 0 nothing found, 1 something found, 2 the call or the configuration is wrong."""


def verb(name: str) -> Verb:
    """The verb of this name, with the modules that it needs."""
    module, _, attribute = VERBS[name].place.rpartition(".")
    found = getattr(import_module(f".{module}", __package__), attribute)
    assert isinstance(found, Verb)
    return found


def run(argv: Sequence[str]) -> int:
    """Runs the verb that a command line names. Raises UsageError."""
    first, rest = (argv[0], argv[1:]) if argv else ("check", argv)
    if first == "help" and rest and rest[0] in VERBS:
        first, rest = rest[0], ["--help"]
    if first in ("-h", "--help", "help"):
        print(usage())
        return 0
    if first in ("-V", "--version"):
        first = "version"
    if first not in VERBS:
        _refuse_mistyped(first)
        first, rest = "check", argv
    if VERBS[first].runs_code:
        import gc

        gc.enable()
    return verb(first).call(first, rest)


def _refuse_mistyped(word: str) -> None:
    """Raises UsageError where a word that names no file looks like a verb."""
    if not word.isalpha() or os.path.lexists(word):
        return
    import difflib

    near = difflib.get_close_matches(word.lower(), VERBS, n=1, cutoff=0.7)
    if near:
        raise UsageError(
            f"`{word}` is neither a verb nor a file here; did you mean `inplace-lint {near[0]}`?"
        )
