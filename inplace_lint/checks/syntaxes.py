"""Recognises the spellings of in-place writes: targets, chains of calls, `inplace` flags, construction of modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import walk
from ..torchmodel import table
from ..torchmodel.spelling import MODES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..syntax.module import Module


def root_name(node: ast.AST | None) -> str | None:
    """`y` of `y[0][1]`; None if the root is not a plain name."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def written_name(node: ast.AST) -> str | None:
    """The name that a statement writes: `y` of `y += 1`, `y[0] = 1` and `y.mul_(2)`."""
    if isinstance(node, ast.AugAssign):
        return root_name(node.target)
    if isinstance(node, ast.Call):
        return root_name(node.func.value) if isinstance(node.func, ast.Attribute) else None
    return root_name(node)


def is_plain_path(node: ast.AST) -> bool:
    """Whether a node is `self.a.b`, which can be evaluated twice without an effect (properties aside)."""
    if not isinstance(node, ast.Attribute):
        return False
    owner: ast.AST = node.value
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    # `y.data += b` writes the storage of `y`; the attribute is not a variable of its own.
    return isinstance(owner, ast.Name) and table.get().property_(node.attr) is None


def is_plain_element(node: ast.Subscript) -> bool:
    """Whether a node is `levels[i - 1]` or `state["a"]["b"]`, which can be evaluated twice without an effect."""
    index = (ast.Constant, ast.Name, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context)
    owner: ast.AST = node
    while isinstance(owner, ast.Subscript):
        if not all(isinstance(one, index) for one in walk(owner.slice)):
            return False
        owner = owner.value
    return isinstance(owner, ast.Name)


def dotted(module: Module, node: ast.AST) -> str | None:
    """The full name of an imported function: `torch.nn.functional.relu_` for `F.relu_`."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    found = module.imports.get(node.id)
    if found is None or found.level:
        return None
    parts += [found.member] if found.member else []
    parts.append(found.module)
    return ".".join(reversed(parts))


def no_grad(module: Module) -> str | None:
    """How this file can spell `torch.no_grad`; None if it does not import it."""
    for name, found in module.imports.items():
        if found.level or name in module.multiple:
            continue
        if found.module == "torch" and found.member is None:
            return f"{name}.no_grad"
        if found.module == "torch" and found.member == "no_grad":
            return name
    return None


def says_no_grad(module: Module, path: Sequence[ast.AST]) -> bool:
    """Whether the innermost grad-mode block or decorator around a statement, in its function, turns gradients off."""
    for node in reversed(path):
        said: list[ast.expr] = []
        if isinstance(node, (ast.With, ast.AsyncWith)):
            said = [item.context_expr for item in reversed(node.items)]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            said = node.decorator_list
        for one in said:
            mode = MODES.get(dotted(module, one.func if isinstance(one, ast.Call) else one) or "")
            if mode not in (None, "autocast"):
                return mode == "off"
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            return False
    return False


def inplace_flag(node: ast.Call) -> bool:
    """Whether the call passes `inplace=True`."""
    return any(k.arg == "inplace" and getattr(k.value, "value", None) is True for k in node.keywords)


def flag_position(name: str, node: ast.Call) -> int | None:
    """The position at which the call passes `inplace` as a positional True, else None."""
    op = table.get().function(name)
    for row in op.rows if op is not None else ():
        for i, param in enumerate(row.params):
            if param.name == "inplace" and i < len(node.args):
                return i if getattr(node.args[i], "value", None) is True else None
    return None


def chain(
    node: ast.Call, path: Sequence[ast.AST], writes: Callable[[str], bool]
) -> tuple[ast.Call, int, ast.expr]:
    """(outermost call, number of calls, receiver) of the in-place chain `y.mul_(2).add_(1)` that contains `node`."""
    top = node
    for outer in reversed(path):
        if isinstance(outer, ast.Attribute) and outer.value is top:
            continue
        if (
            isinstance(outer, ast.Call)
            and isinstance(outer.func, ast.Attribute)
            and outer.func.value is top
            and writes(outer.func.attr)
        ):
            top = outer
            continue
        break
    links = 0
    receiver: ast.expr = top
    while (
        isinstance(receiver, ast.Call)
        and isinstance(receiver.func, ast.Attribute)
        and writes(receiver.func.attr)
    ):
        links += 1
        receiver = receiver.func.value
    if not links and isinstance(node.func, ast.Attribute):
        receiver = node.func.value
    return top, links, receiver


def reads(top: ast.expr, links: int, names: set[str], owns: Callable[[str], bool]) -> bool:
    """Whether an argument of a call in the chain, except the first call, may read one of the names.

    `owns` tells whether a name is read by no inner function, which a call in an argument might run.
    """
    read_inside = not all(map(owns, names))
    for _ in range(links - 1):
        if not isinstance(top, ast.Call) or not isinstance(top.func, ast.Attribute):
            break
        pending: list[ast.AST] = [*top.args, *top.keywords]
        while pending:
            node = pending.pop()
            if (isinstance(node, ast.Name) and node.id in names) or (
                read_inside and isinstance(node, ast.Call)
            ):
                return True
            for field in node._fields:
                value = getattr(node, field, None)
                pending.extend(
                    v for v in (value if isinstance(value, list) else [value]) if isinstance(v, ast.AST)
                )
        top = top.func.value
    return False


def fill_form(target: ast.Subscript, value: ast.expr) -> str | None:
    """The method for a fill by mask: "masked_fill" for `y[y > 0] = 1.0`, "where" for `y[y > 0] = v[y > 0]`."""
    index = target.slice
    if not isinstance(target.value, ast.Name) or not isinstance(index, ast.Compare) or len(index.ops) != 1:
        return None
    sides = [index.left, index.comparators[0]]
    own = [s for s in sides if isinstance(s, ast.Name) and s.id == target.value.id]
    if (
        len(own) != 1
        or not any(_is_number(s) for s in sides)
        or isinstance(index.ops[0], (ast.In, ast.NotIn))
    ):
        return None
    if _is_number(value):
        return "masked_fill"
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and _same(value.slice, index):
        return "where"
    return None


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _same(one: ast.AST, other: ast.AST) -> bool:
    if type(one) is not type(other):
        return False
    for field in one._fields:
        a, b = getattr(one, field, None), getattr(other, field, None)
        if isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b) or not all(_same(x, y) for x, y in zip(a, b)):
                return False
        elif isinstance(a, ast.AST) and isinstance(b, ast.AST):
            if not _same(a, b):
                return False
        elif a != b:
            return False
    return True


def step(module: Module) -> str:
    """One indentation step of the file, taken from the first block that starts on its own line."""
    for node in walk(module.tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and isinstance(body, list) and body[0].lineno > node.lineno:
            outer: bytes = module.lines[node.lineno - 1][: node.col_offset]
            inner: bytes = module.lines[body[0].lineno - 1][: body[0].col_offset]
            if inner.startswith(outer) and not inner.strip():
                return inner[len(outer) :].decode()
    return "    "
