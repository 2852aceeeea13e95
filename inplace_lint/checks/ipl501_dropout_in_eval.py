"""IPL501: a kernel call is given a dropout probability that evaluation mode does not switch off."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .attention import argument, call_change, diagnostic, is_plain, label, offered, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..attention.frames import Moment
    from ..model import Diagnostic
    from ..syntax.module import Module
    from .attention import Offer

CODE = "IPL501"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    found = []
    for ways in seen.calls("sdpa"):
        call, p = ways[0].at, ways[0].term.args[4]
        node = argument(call, 4, "dropout_p")
        if node is None or not all(_stays_active(seen, one) for one in ways):
            continue
        fix, refused = offered(seen, _fix, module, seen, call, node)
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                node,
                "this dropout stays active in evaluation",
                "the kernel is a function: it drops whatever mode the module is in",
                "write `dropout_p=… if self.training else 0.0`",
                label("alias", "the probability comes from here", p) if seen.refused else (),
                plan=fix,
                refused=refused,
            )
        )
    return found


def _stays_active(seen: Seen, moment: Moment) -> bool:
    """Whether a call drops out with a probability that does not depend on the training mode."""
    from ..attention.kernel import is_constant_dropout, is_under_training

    p = moment.term.args[4]
    return p is not None and not is_under_training(moment) and is_constant_dropout(seen.graph, p)


def _fix(module: Module, seen: Seen, call: ast.AST, node: ast.expr) -> Offer:
    """Makes the probability depend on the module's `training`, in a method of an nn.Module."""
    from ..attention.spell import source_of

    unknown = None, "it cannot be told what says here whether the model is in training"
    source = seen.graph.root
    place = place_of(call, 4, "dropout_p")
    if source.owner is None or source.descriptor == "staticmethod" or place is None or not is_plain(call):
        return unknown
    if not seen.graph.classes.is_module(source.owner):
        return unknown
    me = source.parameters[0].arg
    if me in source.stored or not isinstance(node, (ast.Constant, ast.Attribute, ast.Name)):
        return unknown
    text = f"{source_of(module.lines, node)} if {me}.training else 0.0"
    fix = call_change(
        "unsafe",
        f"write `{text}`",
        source,
        {call: {"values": {place: text}}},
        "this changes the results in evaluation",
    )
    return fix, None
