"""IPL504: is_causal beside a mask, or with more keys than queries."""

from __future__ import annotations

from .attention import argument, calls, diagnostic, label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL504"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention.kernel import grown
    from ..attention.terms import is_const

    found = []
    for moment in calls(seen, "sdpa"):
        query, key, _, mask, _, causal = moment.term.args[:6]
        node = argument(moment.at, 5, "is_causal")
        if causal is None or node is None or not is_const(causal, True):
            continue
        if mask is not None and mask.op not in ("const", "phi", "param"):
            found.append(
                diagnostic(
                    module,
                    CODE,
                    "warning",
                    node,
                    "`is_causal=True` stands beside a mask: which of them holds depends on the kernel",
                    "documented as an error: some kernels raise, others apply both",
                    "put the triangle into the mask, and leave `is_causal` out",
                    label("alias", "the mask", mask),
                )
            )
        elif grown(key, query):
            found.append(
                diagnostic(
                    module,
                    CODE,
                    "error",
                    node,
                    "`is_causal=True` with cached keys: query i sees the keys 0 to i, the oldest ones, "
                    "not those before it",
                    "the triangle starts at the upper left, whatever the lengths",
                    "pass `attn_mask=torch.nn.attention.bias.causal_lower_right(L, S)` instead",
                    label("alias", "the cache is put before the new keys", key),
                )
            )
    return found
