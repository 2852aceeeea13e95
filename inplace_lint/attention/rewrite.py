"""A plan as edits of the file: the call in place of the product, statements that nobody needs any more taken out.

The text of everything else, comments included, stays as it is.
"""

from __future__ import annotations

from ..model import Edit, Location
from .removal import removal

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from ..syntax.module import Module
    from .plan import Plan
else:
    import _ast as ast

_WIDTH = 100
_KERNEL = "scaled_dot_product_attention"


def edits(source: str, plan: Plan) -> tuple[Edit, ...]:
    """The plan's edits of its file, disjoint and in order. Raises Refused."""
    del source  # the tree of the plan is that of this text
    module = plan.evaluation.root.module
    gone = removal(plan).statements
    made = _take_out(module, gone)
    name, importing = _kernel_name(module, plan)
    made.append(_call(module, plan, name))
    if importing is not None:
        made.append(importing)
    return tuple(sorted(made, key=lambda edit: edit.location.key()))


def _take_out(module: Module, gone: list[ast.stmt]) -> list[Edit]:
    """Delete whole lines, but for the comments among them, and blank lines that would come to stand together."""
    kept: dict[int, str] = {}
    for statement in gone:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        indent = " " * statement.col_offset
        for row in range(first, last + 1):
            comment = _comment(module, row, first, last).decode("utf-8")
            if row not in kept or not kept[row]:
                kept[row] = f"{indent}{comment}\n" if comment else ""
    rows = set(kept)
    for row in sorted(kept):
        below = row + 1
        if below in kept or below > len(module.lines) or module.lines[below - 1].strip():
            continue
        above = row
        while above in rows and not kept.get(above):
            above -= 1
        line = module.lines[above - 1].strip() if above not in rows else b"#"
        if not line or line.endswith(b":"):
            kept[below] = ""
            rows.add(below)
    edits: list[Edit] = []
    ordered = sorted(kept)
    while ordered:
        first = last = ordered.pop(0)
        while ordered and ordered[0] == last + 1:
            last = ordered.pop(0)
        content = "".join(kept[row] for row in range(first, last + 1))
        edits.append(Edit(content, Location(module.filename, first, 1, last + 1, 1)))
    return edits


def _comment(module: Module, row: int, first: int, last: int) -> bytes:
    """The comment on a row of a statement, without being misled by a `#` in a string."""
    line = module.lines[row - 1]
    if b"#" not in line:
        return b""
    import io
    import tokenize

    text = b"\n".join(module.lines[first - 1 : last]) + b"\n"
    try:
        for token in tokenize.tokenize(io.BytesIO(text).readline):
            if token.type == tokenize.COMMENT and token.start[0] == row - first + 1:
                return token.string.encode()
    except (tokenize.TokenError, IndentationError):
        position = line.rfind(b"#")
        return line[position:] if line.count(b"'") % 2 == 0 and line.count(b'"') % 2 == 0 else b""
    return b""


def _call(module: Module, plan: Plan, name: str) -> Edit:
    anchor = plan.anchor
    assert anchor is not None
    row, end = anchor.lineno, anchor.end_lineno or anchor.lineno  # type: ignore[attr-defined]
    line = module.lines[row - 1]
    start = len(line[: anchor.col_offset].decode("utf-8"))  # type: ignore[attr-defined]
    stop = len(module.lines[end - 1][: anchor.end_col_offset].decode("utf-8"))  # type: ignore[attr-defined]
    last = module.lines[end - 1].decode("utf-8")
    before = line.decode("utf-8")[:start].rstrip()
    if before.endswith("(") and last[stop : stop + 1] == ")" and len(before) == start:
        outer = before[:-1].rstrip()
        if not outer or not (outer[-1].isalnum() or outer[-1] in "_)]}"):
            start, stop = start - 1, stop + 1  # parentheses around the product alone
        elif outer.rpartition(" ")[2] in ("return", "yield", "in", "not", "and", "or", "else"):
            start, stop = start - 1, stop + 1
    rest = len(last) - stop
    text = f"{name}({', '.join(plan.arguments)}){plan.after}"
    if start + len(text) + rest > _WIDTH:
        indent = " " * (len(line) - len(line.lstrip()))
        head = ", ".join(plan.arguments[:3])
        rows = [head, *plan.arguments[3:]]
        if len(indent) + 4 + len(head) > _WIDTH:
            rows = plan.arguments
        inner = "".join(f"{indent}    {argument},\n" for argument in rows)
        text = f"{name}(\n{inner}{indent}){plan.after}"
    return Edit(text, Location(module.filename, row, start + 1, end, stop + 1))


def _kernel_name(module: Module, plan: Plan) -> tuple[str, Edit | None]:
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
    name = "F" if not _binds(module, "F") and "F" not in local else "torch_functional"
    row = _after_imports(module)
    text = f"import torch.nn.functional as {name}\n"
    return f"{name}.{_KERNEL}", Edit(text, Location(module.filename, row, 1, row, 1))


def _binds(module: Module, name: str) -> bool:
    return any(
        name in names for names in (module.imports, module.functions, module.classes, module.assignments)
    )


def _after_imports(module: Module) -> int:
    row = 1
    for statement in module.tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            row = (statement.end_lineno or statement.lineno) + 1
        elif row > 1:
            break
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
    return row
