"""IPL403: an L×S triangle is handed to the kernel where is_causal says the same."""

from __future__ import annotations

from . import places
from .attention import Replacement, calls, diagnostic, instead, keyword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL403"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention.kernel import is_causal_mask
    from ..attention.terms import is_const

    found = []
    for moment in calls(seen, "sdpa"):
        call, term = moment.at, moment.term
        mask = term.args[3]
        if mask is None or not (term.args[5] is None or is_const(term.args[5], False)):
            continue
        if not is_causal_mask(seen.evaluation, seen.shapes, term):
            continue
        given = keyword(call, "attn_mask")
        fix = None
        if given is not None and keyword(call, "is_causal") is None:
            fix = Replacement(
                "safe",
                "write `is_causal=True` in place of the mask",
                (instead(module, given, "is_causal=True"),),
            )
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                given.value if given is not None else call,
                f"{places.text(module, given.value) if given is not None else 'the mask'} is the causal triangle, "
                "made as an L×S tensor",
                "`is_causal=True` says the same, and lets the flash kernel run: it takes no mask",
                "write `is_causal=True`",
                plan=fix,
                refused=None if fix is not None else "the mask is not passed by its keyword",
            )
        )
    return found
