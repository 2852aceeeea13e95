"""IPL502: the kernel reads the sequence from an axis that holds something else."""

from __future__ import annotations

from .attention import calls, diagnostic, label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL502"

_WORDS = {
    "last": (
        "the sequence is the last axis of q and k, (B, heads, C, S): the kernel attends over the channels",
        "transpose the last two axes of q, k and v, and those of the result: `.transpose(-2, -1)`",
    ),
    "second": (
        "the heads stand where the kernel reads the sequence, (B, S, heads, C): it attends over the heads",
        "transpose q, k and v, and the result: `.transpose(1, 2)`",
    ),
}


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention.kernel import misplaced_axis

    found = []
    for moment in calls(seen, "sdpa"):
        query, key = moment.term.args[:2]
        # A call that says its own scale was made for the axes as they are.
        if moment.term.args[6] is not None:
            continue
        place = misplaced_axis(seen.shapes, query, key)
        if place is None:
            continue
        message, help = _WORDS[place]
        found.append(
            diagnostic(
                module,
                CODE,
                "error",
                moment.at,
                message,
                "reads (batch, heads, sequence, channels); the shape is right, the values are not",
                help,
                label("alias", "the axes come from here", query) if query.at is not moment.at else (),
            )
        )
    return found
