"""IPL403: an L×S triangle is handed to the kernel where is_causal says the same."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import places
from .attention import argument, call_change, calls, diagnostic, is_plain, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL403"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention.dead import dead
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
        place, node = place_of(call, 3, "attn_mask"), argument(call, 3, "attn_mask")
        fix = None
        if place is not None and node is not None and is_plain(call) and not _more_positional(call):
            function = seen.evaluation.root
            fix = call_change(
                "safe",
                "write `is_causal=True` in place of the mask",
                function,
                {call: {"dropped": (place, "is_causal"), "added": {"is_causal": "True"}}},
                gone=dead(function, [node], set()),
            )
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
                plan=fix,
                refused=None
                if fix is not None
                else "the call hands over its arguments in a way that is not known",
            )
        )
    return found


def _more_positional(call: ast.AST) -> bool:
    """Whether arguments behind the mask are passed by position."""
    return isinstance(call, ast.Call) and len(call.args) > 4
