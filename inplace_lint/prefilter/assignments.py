"""Indexes the assignments of one function: to names, and to attributes of objects."""

from __future__ import annotations

import ast

from ..syntax.nodes import inner_bodies

#: Key under which the base module is kept, for a class derived from a torch layer: `class Up(nn.Conv2d)`.
PART = ".super()"
#: Key for values whose attribute name is computed: `setattr(self, name, layer)`.
COMPUTED = ".*"


class Assignments:
    """An index of a function's statements, in which nothing is evaluated."""

    __slots__ = ("names", "parameters")

    def __init__(self, body: list[ast.stmt], receiver: str) -> None:
        #: by `x`, or `.x` for an attribute of the receiver: (kind of assignment, expression, index in the tuple)
        self.names: dict[str, list[tuple[str, ast.expr, int]]] = {}
        #: `other.x = nn.Parameter(...)`: attributes of other objects than the receiver, each with the call
        self.parameters: list[tuple[ast.Attribute, ast.Call]] = []
        stack = body[::-1]
        while stack:
            statement = stack.pop()
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    self._target(target, statement.value, receiver)
            elif isinstance(statement, ast.Expr):
                # A stray comma makes a tuple of the call.
                for value in getattr(statement.value, "elts", (statement.value,)):
                    if isinstance(value, ast.Call):
                        self._call(value, receiver)
            elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
                if statement.value is not None:
                    how = "+" if isinstance(statement, ast.AugAssign) else "="
                    self._add(statement.target, receiver, how, statement.value)
            elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                continue
            else:
                if isinstance(statement, ast.For):
                    self._add(statement.target, receiver, "element", statement.iter)
                for inner in reversed(inner_bodies(statement)):
                    stack.extend(inner[::-1])

    def _target(self, target: ast.expr, value: ast.expr, receiver: str) -> None:
        if isinstance(target, (ast.Name, ast.Attribute)):
            self._add(target, receiver, "=", value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for i, inner in enumerate(target.elts):
                if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                    self._add(inner, receiver, "=", value.elts[i])
                else:
                    self._add(inner, receiver, "part", value, i)
        elif isinstance(target, ast.Subscript):
            self._add(target.value, receiver, "append", value)

    def _call(self, call: ast.Call, receiver: str) -> None:
        func = call.func
        if not isinstance(func, ast.Attribute):
            if (
                getattr(func, "id", "") == "setattr"
                and len(call.args) == 3
                and _is_name(call.args[0], receiver)
            ):
                self._enter(COMPUTED, "add_module", call.args[2])
            return
        verb = func.attr
        if verb == "__init__":
            if getattr(getattr(func.value, "func", None), "id", "") == "super":
                self._enter(PART, "super", call)
        elif not call.args:
            return
        elif verb in ("append", "add", "insert", "extend"):
            self._add(func.value, receiver, "extend" if verb == "extend" else "append", call.args[-1])
        elif (
            verb in ("add_module", "register_module")
            and len(call.args) > 1
            and not _is_name(func.value, receiver)
        ):
            self._add(func.value, receiver, "append", call.args[1])  # to an nn.Sequential
        elif verb in ("register_buffer", "register_parameter", "add_module") and len(call.args) > 1:
            name = call.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self._enter(f".{name.value}", verb, call.args[1])
            elif verb == "add_module":
                self._enter(COMPUTED, verb, call.args[1])

    def _add(self, target: ast.expr, receiver: str, how: str, value: ast.expr, position: int = 0) -> None:
        if isinstance(target, ast.Name):
            self._enter(target.id, how, value, position)
        elif (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == receiver
        ):
            self._enter(f".{target.attr}", how, value, position)
        elif how == "=" and isinstance(target, ast.Attribute) and isinstance(value, ast.Call):
            self.parameters += [(target, value)] if _makes_parameter(value) else []

    def _enter(self, key: str, how: str, value: ast.expr, position: int = 0) -> None:
        known = self.names.get(key)
        if known is None:
            self.names[key] = [(how, value, position)]
        else:
            known.append((how, value, position))


def _makes_parameter(call: ast.Call) -> bool:
    """Whether the callee is named `Parameter`, like `torch.nn.Parameter`."""
    return "Parameter" in (getattr(call.func, "attr", ""), getattr(call.func, "id", ""))


def _is_name(node: ast.expr, name: str) -> bool:
    """Whether an expression is this name."""
    return isinstance(node, ast.Name) and node.id == name
