"""Turns a plan into a fix: inserts the kernel call, removes dead statements and unread imports."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..fixes import imports
from ..fixes.plans import FunctionChange
from ..syntax.nodes import end_of, start_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, TypeAlias

    from ..model import FixPlan
    from ..syntax.module import FunctionSource, Module
    from .plan import Plan

    #: The keyword arguments of `fixes.statements.arguments`, or a mapping of method names under `renamed`.
    Changes: TypeAlias = "dict[str, Any]"

_WIDTH = 100
_RESHAPES = {"view": "reshape", "view_as": "reshape_as"}
_KERNEL = "scaled_dot_product_attention"
#: Rules about arguments of the kernel call, which a rewrite takes over: what they cost is less than the scores.
_OF_KERNEL_CALLS = ("IPL403", "IPL404")


def fix(plan: Plan) -> FixPlan:
    """The fix of a plan that is not refused."""
    module = plan.graph.root.module
    message = "call `F.scaled_dot_product_attention`, which computes the same"
    if not plan.falling_back:
        message += " and keeps no scores"
    if plan.notes:
        message += f"; {'; '.join(plan.notes)}"
    name, importing = kernel_name(module, plan)
    assert plan.anchor is not None and plan.gone is not None
    changed: dict[ast.AST, str | Changes] = {plan.anchor: _call(module, plan, name)}
    changed.update(reshapes(plan.reshaped))
    made = of_function(
        plan.applicability,
        message,
        tuple(plan.differences),
        plan.graph.root,
        changed,
        plan.gone.statements,
        importing,
    )
    made.leads_to = _OF_KERNEL_CALLS
    return made


def reshapes(views: Sequence[ast.AST]) -> dict[ast.AST, Changes]:
    """The changes that turn calls of `view` into calls of `reshape`."""
    return {node: {"renamed": _RESHAPES} for node in views}


def of_function(
    applicability: str,
    message: str,
    differences: tuple[str, ...],
    function: FunctionSource,
    changed: Mapping[ast.AST, str | Changes],
    gone: Sequence[ast.stmt] = (),
    importing: str | None = None,
) -> FixPlan:
    """A fix that changes expressions of one function, removes the statements `gone`, and drops unread imports."""
    module, first = function.module, function.node.lineno
    dropped: list[ast.AST] = [*gone]
    instead: list[str] = []
    for node, change in changed.items():
        if isinstance(change, str):
            dropped.append(node)
            instead.append(change)
        else:
            dropped += _replaced(node, change)
            instead += [*change.get("values", {}).values(), *change.get("added", {}).values()]
    unread = imports.unread(module, dropped, " ".join(instead))
    for _, _, names in unread:
        message += "".join(f"; the import of `{name}` goes, which nothing reads any more" for name in names)
    return FunctionChange(
        applicability,
        message,
        differences,
        module.filename,
        (first, function.node.end_lineno or first),
        tuple(_point(module, one, first) for one in gone),
        tuple(
            (_point(module, one, first), _point(module, one, first, end=True), change)
            for one, change in changed.items()
        ),
        None if importing is None else (importing, imports.row(module)),
        unread,
    )


def _replaced(call: ast.AST, change: Changes) -> list[ast.AST]:
    """The arguments of a call that the change drops or replaces."""
    assert isinstance(call, ast.Call)
    values, dropped = change.get("values", {}), change.get("dropped", ())
    given = [*enumerate(call.args), *((one.arg, one.value) for one in call.keywords)]
    return [node for name, node in given if name in dropped or "{}" not in values.get(name, "{}")]


def _point(module: Module, node: ast.AST, first: int, end: bool = False) -> tuple[int, int]:
    """The start or end of a node: its row relative to `first`, its column in characters."""
    row, offset = end_of(node) if end else start_of(node)
    return row - first + 1, len(module.lines[row - 1][:offset].decode("utf-8", "replace"))


def _call(module: Module, plan: Plan, name: str) -> str:
    """The source of the kernel call, broken over several lines if it is too long for one."""
    anchor = plan.anchor
    assert anchor is not None
    (row, column), (last_row, last_column) = start_of(anchor), end_of(anchor)
    line = module.lines[row - 1].decode("utf-8", "replace")
    last = module.lines[last_row - 1].decode("utf-8", "replace")
    text = f"{name}({', '.join(plan.arguments)}){plan.after}"
    rest = len(last) - last_column
    if column + len(text) + rest <= _WIDTH:
        return text
    indent = len(line) - len(line.lstrip())
    head = ", ".join(plan.arguments[:3])
    rows = [head, *plan.arguments[3:]]
    if indent + 4 + len(head) > _WIDTH:
        rows = plan.arguments
    # LibCST adds the block's own indentation to each line.
    inner = "".join(f"    {argument},\n" for argument in rows)
    return f"{name}(\n{inner}){plan.after}"


def kernel_name(module: Module, plan: Plan) -> tuple[str, str | None]:
    """How the file can name the kernel, and the import to add if it has none (else None)."""
    scope = plan.graph.root.scope
    local = scope[0] | scope[1] | {*module.multiple, *module.functions, *module.classes, *module.assignments}
    for bound, imported in module.imports.items():
        full = imported.module if imported.member is None else f"{imported.module}.{imported.member}"
        if bound in local:
            continue
        if imported.level == 0 and full == "torch.nn.functional":
            return f"{bound}.{_KERNEL}", None
        if imported.level == 0 and full == f"torch.nn.functional.{_KERNEL}":
            return bound, None
    for bound, imported in module.imports.items():
        if (
            imported.level == 0
            and imported.member is None
            and imported.module == "torch"
            and bound not in local
        ):
            return f"{bound}.nn.functional.{_KERNEL}", None
    name = "F" if not module.binds("F") and "F" not in local else "torch_functional"
    return f"{name}.{_KERNEL}", f"import torch.nn.functional as {name}"


def has_name(function: FunctionSource, name: str) -> bool:
    """Whether a name is bound in the function's scope or at the top level of its file."""
    return name in function.scope[0] or function.module.binds(name)
