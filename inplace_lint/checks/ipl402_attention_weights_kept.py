"""IPL402: a call of nn.MultiheadAttention computes weights that nobody reads: `out, _ = mha(x, x, x)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .attention import argument, call_change, diagnostic, is_plain

if TYPE_CHECKING:
    from ..attention.find import Seen
    from ..model import Diagnostic
    from ..syntax.module import Module

CODE = "IPL402"


def check(module: Module, seen: Seen) -> list[Diagnostic]:
    from ..prefilter.package_uses import hooks_modules

    found = []
    for moment, *_ in seen.calls("mha"):
        call = moment.at
        if argument(call, 4, "need_weights") is not None or not is_plain(call):
            continue
        if not _unread(seen.graph.root.node, call):
            continue
        held = moment.term.args[0]
        attribute = held.args[1] if held.op == "attr" else ""
        project = seen.graph.names.files.project
        hooked = hooks_modules(module, project, attribute, "torch.nn.MultiheadAttention")
        fix = call_change(
            "unsafe" if hooked else "safe",
            "pass `need_weights=False`: the fused kernel runs, and the weights are never made",
            seen.graph.root,
            {call: {"added": {"need_weights": "False"}}},
            *(["this project registers hooks, which may read the weights"] if hooked else []),
        )
        found.append(
            diagnostic(
                module,
                CODE,
                "warning",
                call,
                "nobody reads the attention weights that this call makes",
                "need_weights is True by default: the B·L·S mean over the heads is made of B·H·L·S weights",
                "pass `need_weights=False`",
                plan=fix,
                confidence="certain",
            )
        )
    return found


def _unread(function: ast.AST, call: ast.AST) -> bool:
    """Whether the call's second result is dropped: `f(…)[0]`, or `out, _ = f(…)` with `_` never read."""
    names: dict[str, int] = {}
    use: list[ast.AST] = []
    stack: list[ast.AST] = [function]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names[node.id] = names.get(node.id, 0) + 1
        for field in node._fields:
            child = getattr(node, field, None)
            for one in child if isinstance(child, list) else [child]:
                if one is call:
                    use.append(node)
                elif isinstance(one, ast.AST):
                    stack.append(one)
        if any(one is call for one in (getattr(node, "value", None),)) and call not in stack:
            stack.append(call)
    if len(use) != 1:
        return False
    parent = use[0]
    if isinstance(parent, ast.Subscript):
        return isinstance(parent.slice, ast.Constant) and parent.slice.value == 0
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
        if isinstance(target, ast.Tuple) and len(target.elts) == 2:
            second = target.elts[1]
            return isinstance(second, ast.Name) and names.get(second.id, 0) == 0
    return False
