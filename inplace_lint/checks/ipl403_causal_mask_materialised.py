"""IPL403: a kernel call is given an L×S causal mask where `is_causal=True` means the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import places
from .attention import argument, call_change, diagnostic, is_plain, label, offered, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.terms import Term
    from ..model import Diagnostic
    from ..syntax.module import Module
    from .attention import Offer

CODE = "IPL403"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    found = []
    for ways in seen.calls("sdpa"):
        call, mask = ways[0].at, ways[0].term.args[3]
        if not all(_is_triangle(seen, one.term) for one in ways):
            continue
        node = argument(call, 3, "attn_mask")
        fix, refused = offered(seen, _fix, seen, call, node)
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                node if node is not None else call,
                f"{places.text(module, node) if node is not None else 'the mask'} is the causal triangle, "
                "made as an L×S tensor",
                "`is_causal=True` says the same, and lets the flash kernel run: it takes no mask",
                "write `is_causal=True`",
                label("alias", "the triangle is made here", mask) if seen.refused else (),
                plan=fix,
                refused=refused,
            )
        )
    return found


def _is_triangle(seen: Seen, call: Term) -> bool:
    """Whether the call's mask means the same as `is_causal=True`."""
    from ..attention.kernel import is_causal_mask
    from ..attention.terms import is_const

    mask, causal = call.args[3], call.args[5]
    if mask is None or not (causal is None or is_const(causal, False)):
        return False
    return is_causal_mask(seen.graph, seen.shapes, call)


def _fix(seen: Seen, call: ast.AST, node: ast.expr | None) -> Offer:
    from ..attention.dead import dead

    place = place_of(call, 3, "attn_mask")
    if place is None or node is None or not is_plain(call) or _more_positional(call):
        return None, "the call hands over its arguments in a way that is not known"
    function = seen.graph.root
    fix = call_change(
        "safe",
        "write `is_causal=True` in place of the mask",
        function,
        {call: {"dropped": (place, "is_causal"), "added": {"is_causal": "True"}}},
        gone=dead(function, [node], set()),
    )
    return fix, None


def _more_positional(call: ast.AST) -> bool:
    """Whether arguments after the mask are passed by position."""
    return isinstance(call, ast.Call) and len(call.args) > 4
