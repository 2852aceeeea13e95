"""IPL502: a kernel call whose operands have another axis where the kernel reads the sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import call_change, diagnostic, is_plain, label, offered, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.frames import Moment
    from ..attention.terms import Term
    from ..model import Diagnostic
    from ..syntax.module import Module
    from .attention import Offer

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
    found = []
    for ways in seen.calls("sdpa"):
        told = [(one, place) for one in ways if (place := _misplaced(seen, one.term)) is not None]
        if not told:
            continue
        moment, place = told[0]
        query = moment.term.args[0]
        message, help = _WORDS[place]
        fix, refused = offered(seen, _fix, seen, moment, place)
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
                plan=fix,
                refused=refused,
            )
        )
    return found


def _misplaced(seen: Seen, call: Term) -> str | None:
    from ..attention.kernel import misplaced_axis

    # A call that passes `scale` was written for this axis order.
    return misplaced_axis(seen.shapes, *call.args[:2]) if call.args[6] is None else None


def _fix(seen: Seen, moment: Moment, place: str) -> Offer:
    """Transposes q, k, v and the result, if v has the layout of q and k and the call has no mask."""
    from ..attention.kernel import misplaced_axis
    from ..attention.layout import dense_axis, is_laid_as
    from ..attention.terms import is_const

    query, key, value, mask = moment.term.args[:4]
    places = [place_of(moment.at, i, name) for i, name in enumerate(("query", "key", "value"))]
    if None in places or not is_plain(moment.at):
        return None, "the call hands over its arguments in a way that is not known"
    if misplaced_axis(seen.shapes, query, value) != place:
        return None, "it cannot be told that v lies as q and k do"
    if mask is not None and not is_const(mask, None):
        return None, "the mask was made for the axes as they are"
    swap = ".transpose(-2, -1)" if place == "last" else ".transpose(1, 2)"
    texts = {}
    for where, term in zip(places, (query, key, value)):
        # The kernel needs the channels contiguous in memory.
        lies_apart = place == "last" and dense_axis(seen.shapes, term) == -1
        texts[where] = f"{{}}{swap}.contiguous()" if lies_apart else f"{{}}{swap}"
    fix = call_change(
        "unsafe",
        f"transpose q, k, v and the result: `{swap}`",
        seen.graph.root,
        {moment.at: {"values": texts, "after": "{}" + swap}},
        "this changes the result",
        reshaped=[
            at
            for at, viewed, depth in seen.graph.viewed
            if depth == 0 and is_laid_as(viewed, moment.term, seen.graph.fresh)
        ],
    )
    return fix, None
