"""IPL501: the kernel is given a dropout that evaluation does not switch off."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .attention import argument, call_change, calls, diagnostic, is_plain, place_of

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic, FixPlan
    from ..syntax.module import Module

CODE = "IPL501"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..attention.kernel import is_constant_dropout, is_under_training

    found = []
    for moment in calls(seen, "sdpa"):
        p = moment.term.args[4]
        node = argument(moment.at, 4, "dropout_p")
        if p is None or node is None or is_under_training(moment):
            continue
        if not is_constant_dropout(seen.evaluation, p):
            continue
        fix = _fix(module, seen, moment.at, node)
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                node,
                "this dropout stays active in evaluation",
                "the kernel is a function: it drops whatever mode the module is in",
                "write `dropout_p=… if self.training else 0.0`",
                plan=fix,
                refused=None
                if fix is not None
                else "it cannot be told what says here whether the model is in training",
            )
        )
    return found


def _fix(module: Module, seen: Seen, call: ast.AST, node: ast.expr) -> FixPlan | None:
    """The condition on the module's own mode, in a method of a module."""
    from ..attention.spell import source_of

    source, frame = seen.evaluation.root, seen.evaluation.frame
    place = place_of(call, 4, "dropout_p")
    if source.owner is None or frame.self_ is None or place is None or not is_plain(call):
        return None
    if not seen.evaluation.classes.is_module(source.owner):
        return None
    me = source.parameters[0].arg
    if me in source.stored or not isinstance(node, (ast.Constant, ast.Attribute, ast.Name)):
        return None
    text = f"{source_of(module.lines, node)} if {me}.training else 0.0"
    return call_change(
        "unsafe",
        f"write `{text}`",
        source,
        {call: {"values": {place: text}}},
        "this changes the results in evaluation",
    )
