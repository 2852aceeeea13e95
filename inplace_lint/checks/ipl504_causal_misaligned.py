"""IPL504: `is_causal=True` together with a mask, or with cached keys, so that the triangle is misaligned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .attention import argument, call_change, diagnostic, is_plain, label, offered, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.frames import Moment
    from ..model import Diagnostic
    from ..syntax.module import Module
    from .attention import Offer

CODE = "IPL504"

_MAY_BE_NONE = frozenset({"const", "phi", "param", "opaque", "global"})


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    return [one for ways in seen.calls("sdpa") if (one := _first(module, seen, ways)) is not None]


def _first(module: Module, seen: Seen, ways: list[Moment]) -> Diagnostic | None:
    """The diagnostic for the first evaluation of a call that has the problem."""
    from ..attention.kernel import grown
    from ..attention.terms import is_const

    node = argument(ways[0].at, 5, "is_causal")
    for moment in ways:
        query, key, _, mask, _, causal = moment.term.args[:6]
        if causal is None or node is None or not is_const(causal, True):
            continue
        if mask is not None and mask.op not in _MAY_BE_NONE:
            return diagnostic(
                module,
                CODE,
                "warning",
                node,
                "`is_causal=True` stands beside a mask: which of them holds depends on the kernel",
                "documented as an error: some kernels raise, others apply both",
                "put the triangle into the mask, and leave `is_causal` out",
                label("alias", "the mask", mask),
                refused="it cannot be told whether the mask is meant to hold the triangle as well",
            )
        if grown(key, query):
            fix, refused = offered(seen, _fix, seen, moment)
            return diagnostic(
                module,
                CODE,
                "error",
                node,
                "`is_causal=True` with cached keys: query i sees the keys 0 to i, the oldest ones, "
                "not those before it",
                "the triangle starts at the upper left, whatever the lengths",
                "pass `attn_mask=torch.nn.attention.bias.causal_lower_right(L, S)` instead",
                label("alias", "the cache is put before the new keys", key),
                plan=fix,
                refused=refused,
            )
    return None


def _fix(seen: Seen, moment: Moment) -> Offer:
    """Passes a lower-right causal mask of the lengths of q and k."""
    from ..attention.rewrite import has_name
    from ..attention.spell import ATOM, Speller, Unspellable

    lack = seen.target.lacks("causal_lower_right")
    place = place_of(moment.at, 5, "is_causal")
    if lack is not None or not isinstance(place, str) or not is_plain(moment.at):
        return None, lack or "`is_causal` is not passed by its keyword"
    speller = Speller(seen.graph, moment)
    try:
        lengths = [f"{speller.text(one, ATOM)}.size(-2)" for one in moment.term.args[:2]]
    except Unspellable:
        lengths = []
    if not lengths or speller.moved or has_name(seen.graph.root, "causal_lower_right"):
        return None, "the lengths of q and k have no name here"
    fix = call_change(
        "unsafe",
        "pass a triangle at the lower right",
        seen.graph.root,
        {
            moment.at: {
                "dropped": (place, "attn_mask"),
                "added": {"attn_mask": f"causal_lower_right({', '.join(lengths)})"},
            }
        },
        "this changes the result",
        importing="from torch.nn.attention.bias import causal_lower_right",
    )
    return fix, None
