"""Rewrites in-place expressions to their out-of-place forms, on LibCST's tree of the piece that changes.

The piece is parsed by itself, in parentheses, so that line ends, comments and odd spacing in it survive.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import libcst as cst

from ..model import Refused

_OPERATORS: dict[type[cst.BaseAugOp], Callable[[], cst.BaseBinaryOp]] = {
    cst.AddAssign: cst.Add,
    cst.SubtractAssign: cst.Subtract,
    cst.MultiplyAssign: cst.Multiply,
    cst.DivideAssign: cst.Divide,
    cst.FloorDivideAssign: cst.FloorDivide,
    cst.ModuloAssign: cst.Modulo,
    cst.PowerAssign: cst.Power,
    cst.BitAndAssign: cst.BitAnd,
    cst.BitOrAssign: cst.BitOr,
    cst.BitXorAssign: cst.BitXor,
    cst.LeftShiftAssign: cst.LeftShift,
    cst.RightShiftAssign: cst.RightShift,
}
#: Expressions that bind tighter than any binary operator.
_ATOMS = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.List, cst.BaseString)


def augmented(piece: str) -> str:
    """Rewrites `y += b` to `y = y + b`."""
    module, statement = _statement(piece)
    if not isinstance(statement, cst.AugAssign) or type(statement.operator) not in _OPERATORS:
        raise Refused("this is not an augmented assignment with an operator of its own")
    value = statement.value
    if not isinstance(value, _ATOMS) and not value.lpar:
        value = value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    operator = statement.operator
    left = cast(cst.BaseExpression, statement.target)
    sign = _OPERATORS[type(operator)]()
    target = cst.AssignTarget(
        target=statement.target,
        whitespace_before_equal=operator.whitespace_before,  # type: ignore[attr-defined]  # each of them has it
        whitespace_after_equal=operator.whitespace_after,  # type: ignore[attr-defined]  # this too
    )
    return module.code_for_node(cst.Assign([target], cst.BinaryOperation(left, sign, value)))


def method(piece: str, links: int) -> str:
    """Rewrites `y.mul_(2)` to `y.mul(2)`; in a chain, the last `links` calls."""
    module, tree = _expression(piece)

    def renamed(node: cst.BaseExpression, left: int) -> cst.BaseExpression:
        if left == 0:
            return node
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            raise Refused("this is not a call of a method")
        func = node.func
        short = func.attr.value.removesuffix("_")
        return node.with_changes(
            func=func.with_changes(
                attr=func.attr.with_changes(value=short), value=renamed(func.value, left - 1)
            )
        )

    return module.code_for_node(renamed(tree, links))[1:-1]


def function(piece: str) -> str:
    """Rewrites `F.relu_(y)` to `F.relu(y)`."""
    module, call = _expression(piece)
    if not isinstance(call, cst.Call) or not isinstance(call.func, (cst.Attribute, cst.Name)):
        raise Refused("this is not a call of a function")
    func = call.func
    name = func.attr if isinstance(func, cst.Attribute) else func
    short = name.with_changes(value=name.value.removesuffix("_"))
    changed = func.with_changes(attr=short) if isinstance(func, cst.Attribute) else short
    return module.code_for_node(call.with_changes(func=changed))[1:-1]


def without_argument(piece: str, name: str, position: int | None) -> str:
    """Removes the argument `name` from a call; one passed by position becomes False."""
    module, call = _expression(piece)
    if not isinstance(call, cst.Call):
        raise Refused("this is not a call")
    arguments = list(call.args)
    if position is not None:
        arguments[position] = arguments[position].with_changes(value=cst.Name("False"))
        return module.code_for_node(call.with_changes(args=arguments))[1:-1]
    found = [i for i, a in enumerate(arguments) if a.keyword is not None and a.keyword.value == name]
    if len(found) != 1:
        raise Refused(f"the call has no argument `{name}`")
    removed = arguments.pop(found[0])
    if _has_comment(removed):
        raise Refused(f"a comment stands beside `{name}`")
    if found[0] == len(arguments) and arguments:
        # The new last argument ends as the removed one did.
        arguments[-1] = arguments[-1].with_changes(
            comma=removed.comma, whitespace_after_arg=removed.whitespace_after_arg
        )
    return module.code_for_node(call.with_changes(args=arguments))[1:-1]


def indexed(piece: str, form: str) -> str:
    """Rewrites `y[m] = v` to `y = y.masked_fill(m, v)` or `y.index_put((m,), v)`; `y[m] = v[m]` to `v.where(m, y)`."""
    module, statement = _statement(piece)
    if (
        not isinstance(statement, cst.Assign)
        or len(statement.targets) != 1
        or not isinstance(target := statement.targets[0].target, cst.Subscript)
        or not isinstance(element := target.slice[0].slice, cst.Index)
    ):
        raise Refused("this is not an assignment to one index")
    owner, index, value = target.value, element.value, statement.value
    if form == "where":
        source = cst.ensure_type(value, cst.Subscript).value
        call = cst.Call(cst.Attribute(source, cst.Name("where")), [cst.Arg(index), cst.Arg(owner)])
    elif form == "index_put":
        indices = cst.Tuple([cst.Element(index, comma=cst.Comma())])
        call = cst.Call(cst.Attribute(owner, cst.Name("index_put")), [cst.Arg(indices), cst.Arg(value)])
    else:
        call = cst.Call(cst.Attribute(owner, cst.Name("masked_fill")), [cst.Arg(index), cst.Arg(value)])
    call = call.with_changes(
        args=[
            call.args[0].with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))),
            call.args[1],
        ]
    )
    return module.code_for_node(
        statement.with_changes(targets=[statement.targets[0].with_changes(target=owner)], value=call)
    )


def without_data(piece: str) -> str:
    """Rewrites `x.data.mul_(2)` to `x.mul_(2)`, `x.data[0] = v` to `x[0] = v`, `x.data += v` to `x += v`."""
    module, statement = _statement(piece)
    if isinstance(statement, cst.Expr):
        changed: cst.BaseSmallStatement = statement.with_changes(value=_past_data(statement.value))
    elif isinstance(statement, cst.AugAssign):
        changed = statement.with_changes(target=_past_data(statement.target))
    elif isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        changed = statement.with_changes(targets=[target.with_changes(target=_past_data(target.target))])
    else:
        raise Refused("this is not a statement that writes one thing")
    return module.code_for_node(changed)


def _past_data(node: cst.CSTNode) -> cst.CSTNode:
    """Removes the outermost `.data` from a chain of calls, attributes and indices."""
    if isinstance(node, cst.Attribute) and node.attr.value == "data":
        return node.value
    if isinstance(node, cst.Call):
        return node.with_changes(func=_past_data(node.func))
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return node.with_changes(value=_past_data(node.value))
    raise Refused("what is written is not reached by way of `.data`")


def _has_comment(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Comment) or any(map(_has_comment, node.children))


def _statement(piece: str) -> tuple[cst.Module, cst.BaseSmallStatement]:
    """Parses one simple statement; the module writes it back with the piece's line ends."""
    module = _module(piece)
    line = module.body[0] if len(module.body) == 1 else None
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise Refused("this is not one simple statement")
    if module.code_for_node(line.body[0]) != piece:
        raise Refused("the statement cannot be written back as it stands")
    return module, line.body[0]


def _expression(piece: str) -> tuple[cst.Module, cst.BaseExpression]:
    """Parses one expression in parentheses; the module writes it back with the piece's line ends."""
    module, statement = _statement(f"({piece})")
    if not isinstance(statement, cst.Expr):
        raise Refused("this is not an expression")
    return module, statement.value


def _module(piece: str) -> cst.Module:
    try:
        return cst.parse_module(piece)
    except cst.ParserSyntaxError as error:
        raise Refused("LibCST cannot read this piece of source") from error
