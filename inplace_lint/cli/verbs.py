"""Which verbs there are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: The verbs of `small`.
SMALL = ("rule", "op", "explain", "config", "version")

USAGE = """\
inplace-lint finds in-place writes that break PyTorch's backward, before the code runs.

Usage: inplace-lint [check] [PATHS... | -] [OPTIONS]

Verbs:
  check [PATHS...]      check files and directories; what is run if no verb is named
  rule [CODE|NAME]      what a rule finds, why, and what to write instead
  op NAME               what a PyTorch operation saves, writes and aliases
  explain FILE:LINE     what the analysis knows at a line
  confirm [PATHS...]    check, then run what was found and say whether it really happens (runs your code)
  trace SCRIPT|-m M     run a program and report hazards before backward runs (runs your code)
  measure FILE::NAME    peak memory over sequence lengths, by source line; runs your code
  capture SCRIPT|-m M   record what each class is given while your own program runs
  config [KEY]          the options of the configuration, with the values in force here
  version               the version of inplace-lint

inplace-lint VERB --help tells more.
Exit codes: 0 nothing found, 1 something found, 2 the call or the configuration is wrong."""


def run(argv: Sequence[str]) -> int:
    """Runs the verb that a command line names. Raises UsageError."""
    first = argv[0] if argv else ""
    if first in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    if first in ("-V", "--version"):
        first = "version"
    if first in ("trace", "measure", "capture", "confirm"):
        import gc

        gc.enable()  # a user's own program runs
    if first == "trace":
        # What stands behind the script is the script's own.
        from . import trace

        return trace.run(argv[1:])
    if first in ("measure", "capture"):
        from . import measure

        return measure.run(first, argv[1:])
    if first in SMALL:
        from . import small

        verb, action = small.VERBS[first]
    elif first == "confirm":
        from . import confirm

        verb, action = confirm.VERB, confirm.run
    else:
        from . import check

        verb, action = check.VERB, check.run
    rest = argv[1:] if first == verb.name else argv
    options = rest[: rest.index("--")] if "--" in rest else rest
    if "--help" in options or "-h" in options:
        print(verb.help())
        return 0
    values, others = verb.parse(rest)
    return action(others, values)
