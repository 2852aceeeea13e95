"""The plan of an attention as edits of its file: the call in place of the product, dead statements and imports out."""

from __future__ import annotations

from ..fixes import imports, statements
from ..fixes.text import line_starts
from ..model import Edit, Refused
from ..syntax.nodes import end_of, start_of
from .removal import removal
from .tree import nodes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from ..fixes.statements import Change
    from ..syntax.module import FunctionSource, Module
    from .plan import Plan
else:
    import _ast as ast

_WIDTH = 100
_RESHAPES = {"view": "reshape", "view_as": "reshape_as"}
_KERNEL = "scaled_dot_product_attention"


def edits(source: str, plan: Plan) -> tuple[Edit, ...]:
    """The plan's edits of its file, disjoint and in order. Raises Refused."""
    module = plan.evaluation.root.module
    gone = removal(plan).statements
    name, importing = kernel_name(module, plan)
    assert plan.anchor is not None
    changed: dict[ast.AST, Change] = {plan.anchor: _call(module, plan, name)}
    changed.update(reshapes(plan.reshaped))
    return of_function(source, plan.evaluation.root, gone, changed, importing)


def reshapes(views: Sequence[ast.AST]) -> dict[ast.AST, Change]:
    """The change of each call of `view` that makes it one of `reshape`."""
    return {node: statements.called(_RESHAPES) for node in views}


def of_function(
    source: str,
    function: FunctionSource,
    gone: Sequence[ast.stmt],
    changed: Mapping[ast.AST, Change],
    importing: str | None = None,
) -> tuple[Edit, ...]:
    """The edits that take statements out of a function and change expressions of it; imports follow."""
    module = function.module
    first, piece = _piece(source, function)
    new = statements.edited(
        piece,
        {_point(module, one, first) for one in gone},
        {
            (_point(module, one, first), _point(module, one, first, end=True)): change
            for one, change in changed.items()
        },
    )
    made = statements.differences(module.filename, first, piece, new)
    if importing is not None:
        made.append(imports.added(source, module, importing))
    served = {node.id for one in (*gone, *changed) for node in nodes_of(one) if isinstance(node, ast.Name)}
    made += imports.unused(source, module, served, made)
    return tuple(sorted(made, key=lambda edit: edit.location.key()))


def _piece(source: str, function: FunctionSource) -> tuple[int, str]:
    """The lines of the function, and the row of the first."""
    node = function.node
    starts = line_starts(source)
    last = node.end_lineno or node.lineno
    if last > len(starts):
        raise Refused("the text is not the one that was checked")
    end = starts[last] if last < len(starts) else len(source)
    return node.lineno, source[starts[node.lineno - 1] : end]


def _point(module: Module, node: ast.AST, first: int, end: bool = False) -> tuple[int, int]:
    """Where a node begins or ends, with its row counted from `first` and its column in characters."""
    row, offset = end_of(node) if end else start_of(node)
    return row - first + 1, len(module.lines[row - 1][:offset].decode("utf-8", "replace"))


def _call(module: Module, plan: Plan, name: str) -> str:
    """The call, over several lines where it would be too long for one."""
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
    # LibCST puts the block's own indentation before each line.
    inner = "".join(f"    {argument},\n" for argument in rows)
    return f"{name}(\n{inner}){plan.after}"


def kernel_name(module: Module, plan: Plan) -> tuple[str, str | None]:
    """How the file calls the kernel, and the import where it needs one."""
    scope = plan.evaluation.root.scope
    local = scope[0] | scope[1] | module.multiple | {*module.functions, *module.classes, *module.assignments}
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
    """Whether a name means something where the function stands."""
    return name in function.scope[0] or function.module.binds(name)
