"""Models operators that the project's own classes define: `a + b` calls `a.__add__(b)` or `b.__radd__(a)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import inherited, lookup
from .values import Bound, FunctionValue, Instance, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from .run import Run

#: The middle of the name of an operator's method: `__add__`, `__radd__`, `__iadd__`.
BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "<<": "lshift",
    ">>": "rshift",
}
_COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_UNARY = {"neg": "neg", "pos": "pos", "invert": "invert"}


def binary(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value | None:
    """left op right, if a class of the project defines it."""
    name = BINARY.get(op, "")
    return _called(run, left, name, [right], at) or _called(run, right, f"r{name}", [left], at)


def augmented(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value | None:
    """left op= right, if a class of the project defines `__iadd__` or the like."""
    return _called(run, left, f"i{BINARY.get(op, '')}", [right], at)


def compare(run: Run, op: str, left: Value, right: Value, at: ast.AST) -> Value | None:
    """left op right for a comparison, if a class of the project defines it."""
    if op not in _COMPARISONS:
        return None
    if op == "!=" and isinstance(left, Instance) and lookup.find(run, left.cls.order(), "__ne__") is None:
        equal = compare(run, "==", left, right, at)
        return None if equal is None else run.negated(equal, at)
    return _called(run, left, _COMPARISONS[op], [right], at) or _called(
        run, right, _COMPARISONS[_TURNED[op]], [left], at
    )


def contains(run: Run, container: Value, element: Value, at: ast.AST) -> Value | None:
    """element in container, if a class of the project defines it."""
    return _called(run, container, "contains", [element], at)


#: The functions of Python that call a method of their argument.
_CONVERSIONS = {
    **{
        f"builtins.{name}": name
        for name in ("str", "repr", "int", "float", "complex", "abs", "round", "hash")
    },
    "operator.index": "index",
}


def converted(run: Run, dotted: str, args: Sequence[Value], at: ast.AST) -> Value | None:
    """`str(obj)` and its kin, if a class of the project defines it."""
    name = _CONVERSIONS.get(dotted)
    return _called(run, args[0], name, [*args[1:]], at) if name and args else None


def truth(run: Run, obj: Instance) -> Value | None:
    """bool(obj), if a class of the project defines it, by `__bool__` or `__len__`."""
    at = obj.cls.source.node
    inner = inherited.contents(run, obj)
    return (
        _called(run, obj, "bool", [], at)
        or _called(run, obj, "len", [], at)
        or (None if inner is obj else inner)
    )


def unary(run: Run, op: str, operand: Value, at: ast.AST) -> Value | None:
    """-x, +x, ~x, if a class of the project defines it."""
    return _called(run, operand, _UNARY.get(op, ""), [], at)


def _called(run: Run, obj: Value, name: str, args: list[Value], at: ast.AST) -> Value | None:
    """The result of `obj.__name__(*args)`; None if the class of the object does not define it."""
    if not isinstance(obj, Instance):
        return None
    method = lookup.find(run, obj.cls.order(), f"__{name}__")
    return run.call(Bound(method, [obj], {}), args, {}, at) if isinstance(method, FunctionValue) else None
