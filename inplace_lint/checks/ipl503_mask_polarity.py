"""IPL503: a mask whose True means "drop" where True means "keep", or the other way round."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from . import places
from .attention import argument, call_change, calls, diagnostic, is_plain, label, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic, FixPlan
    from ..syntax.module import Module

CODE = "IPL503"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention import calls as built
    from ..attention.kernel import drops_future, is_dropped_elsewhere, keeps_past

    found = []
    for moment in calls(seen, "sdpa"):
        mask, node = moment.term.args[3], argument(moment.at, 3, "attn_mask")
        if mask is None or node is None:
            continue
        other = is_dropped_elsewhere(seen.evaluation, mask)
        if drops_future(seen.evaluation, mask) or other is not None:
            found.append(
                diagnostic(
                    module,
                    CODE,
                    "error",
                    node,
                    f"True in {places.text(module, node)} is meant to leave a key out, but this call keeps it",
                    "the kernel keeps a key where the mask is True",
                    "invert it: `~mask`",
                    label("alias", "filled with -inf where True", other) if other is not None else (),
                    plan=_fix(seen, moment.at, node, place_of(moment.at, 3, "attn_mask")),
                )
            )
    for moment in calls(seen, "mha"):
        mask = built.argument_of(moment.term, 5, "attn_mask")
        node = argument(moment.at, 5, "attn_mask")
        if mask is not None and node is not None and keeps_past(seen.evaluation, mask):
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
                    plan=_fix(seen, moment.at, node, place_of(moment.at, 5, "attn_mask")),
                )
            )
    return found


def _fix(seen: Seen, call: ast.AST, node: ast.expr, place: int | str | None) -> FixPlan | None:
    from ..attention.spell import source_of

    if place is None or not is_plain(call):
        return None
    inverted = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert)
    lines = seen.evaluation.root.module.lines
    text = source_of(lines, node.operand) if isinstance(node, ast.UnaryOp) and inverted else "~{}"
    if "\n" in text:
        return None
    return call_change(
        "unsafe",
        "invert the mask",
        seen.evaluation.root,
        {call: {"values": {place: text}}},
        "this changes the result",
    )
