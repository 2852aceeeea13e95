"""Decides whether a function only runs under a checkpoint that computes anew, for backward, what its writes spoil."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import walk

if TYPE_CHECKING:
    from ..resolve.names import Names
    from ..syntax.module import FunctionSource, Module


def is_recomputed(names: Names, module: Module, function: FunctionSource) -> bool:
    """Whether all that a file does with a function is to give it to `checkpoint(…, use_reentrant=False)`.

    Such a checkpoint keeps nothing that the function saves. One that is reentrant runs it under `no_grad` first, and
    differentiates the second run, in which the write raises.
    """
    if b"use_reentrant" not in module.source:
        return False
    nodes = walk(module.tree)
    given = {
        id(call.args[0])
        for call in nodes
        if isinstance(call, ast.Call)
        and call.args
        and _is_checkpoint(names, module, call.func)
        and any(k.arg == "use_reentrant" and getattr(k.value, "value", None) is False for k in call.keywords)
    }
    uses = [
        id(node)
        for node in nodes
        if function.name == (node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", ""))
    ]
    return bool(uses) and given.issuperset(uses)


def _is_checkpoint(names: Names, module: Module, func: ast.expr) -> bool:
    found = names.resolve(module, func)
    return found is not None and found.what == "torch.utils.checkpoint.checkpoint"
