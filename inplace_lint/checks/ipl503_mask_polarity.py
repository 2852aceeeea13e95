"""IPL503: a boolean mask with the wrong polarity: True means "keep" to the kernel, "drop" to nn.MultiheadAttention."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import places
from .attention import argument, call_change, diagnostic, is_plain, label, offered, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.terms import Term
    from ..model import Diagnostic, Label
    from ..syntax.module import Module
    from .attention import Offer

CODE = "IPL503"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention import calls as built
    from ..attention.kernel import drops_future, is_dropped_elsewhere, keeps_past

    found = []
    for ways in seen.calls("sdpa"):
        call, node = ways[0].at, argument(ways[0].at, 3, "attn_mask")
        for mask in (one.term.args[3] for one in ways):
            if mask is None or node is None:
                continue
            other = is_dropped_elsewhere(seen.graph, mask)
            if not drops_future(seen.graph, mask) and other is None:
                continue
            fix, refused = offered(seen, _fix, seen, call, node, place_of(call, 3, "attn_mask"))
            found.append(
                diagnostic(
                    module,
                    CODE,
                    "error",
                    node,
                    f"True in {places.text(module, node)} is meant to leave a key out, but this call keeps it",
                    "the kernel keeps a key where the mask is True",
                    "invert it: `~mask`",
                    _labels(seen, mask, other),
                    plan=fix,
                    refused=refused,
                )
            )
            break
    for ways in seen.calls("mha"):
        call, node = ways[0].at, argument(ways[0].at, 5, "attn_mask")
        for mask in (built.argument_of(one.term, 5, "attn_mask") for one in ways):
            if mask is None or node is None or not keeps_past(seen.graph, mask):
                continue
            fix, refused = offered(seen, _fix, seen, call, node, place_of(call, 5, "attn_mask"))
            found.append(
                diagnostic(
                    module,
                    CODE,
                    "error",
                    node,
                    f"True in {places.text(module, node)} is meant to keep a key, but nn.MultiheadAttention "
                    "leaves it out",
                    "the module leaves a key out where the mask is True",
                    "invert it: `~mask`",
                    _labels(seen, mask, None),
                    plan=fix,
                    refused=refused,
                )
            )
            break
    return found


def _labels(seen: Seen, mask: Term, other: Term | None) -> tuple[Label, ...]:
    """Labels at the place that makes the mask, if a caller does, and at a `masked_fill` that shows its meaning."""
    made = label("alias", "the mask is made here", mask) if seen.refused else ()
    return (*made, *(label("alias", "filled with -inf where True", other) if other is not None else ()))


def _fix(seen: Seen, call: ast.AST, node: ast.expr, place: int | str | None) -> Offer:
    from ..attention.spell import source_of

    if place is None or not is_plain(call):
        return None, None
    inverted = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
    lines = seen.graph.root.module.lines
    text = source_of(lines, node.operand) if isinstance(node, ast.UnaryOp) and inverted else "~{}"
    if "\n" in text:
        return None, None
    fix = call_change(
        "unsafe",
        "invert the mask",
        seen.graph.root,
        {call: {"values": {place: text}}},
        "this changes the result",
    )
    return fix, None
