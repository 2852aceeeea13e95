"""Finds the attributes that `__init__` builds on given rows, directly or from a value built there."""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

from ..syntax.nodes import inner_bodies, walk
from .registrations import FILLS
from .source_words import first_place, paths_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..syntax.module import FunctionSource


#: Stands for attributes whose names are computed: `setattr(self, name, layer)`; and how a method asks for such a one.
_COMPUTED = b"?"
_BY_COMPUTED_NAME = (b"getattr(%s,", b"%s.__getattr__(", b"%s.__getattribute__(", b"%s._modules")


def attributes_built(function: FunctionSource, rows: list[int], named: bool) -> set[bytes]:
    """Attributes that `__init__` builds on one of the rows, or from a value built there; all of them if unclear.

    Then any of a computed name may be one as well.

    `named`: the rows mention the name of a builder, which may be a parameter's default without being called there.
    """
    found: set[bytes] = set()
    everything: set[bytes] = set()
    told = True
    receiver = function.receiver
    prefix = receiver.encode() + b"."
    built = _parameters_built(function, rows, named)
    pieces = list(_pieces(getattr(function.node, "body", [])))
    for _ in range(2):  # a list may be assigned to an attribute above the loop that fills it
        known = len(built)
        for first, last, targets, value in pieces:
            set_on = [_own(t, receiver) for t in targets if isinstance(t, ast.Attribute)]
            here = {prefix + name.encode() for name in set_on if name}
            everything |= here
            at = bisect_left(rows, first)
            if at == len(rows) or rows[at] > last:
                text = function.module.text(first, last) if built else b""
                if built.isdisjoint(paths_in(text)):
                    continue
            told = told and all(set_on)
            if here:
                found |= here
                built |= here
                continue
            names = {t.id.encode() for t in map(_whole, targets) if isinstance(t, ast.Name)}
            if not names and isinstance(value, ast.Call):
                names = _changed(value, receiver)
                told = told and bool(names)
                found.update(name for name in names if name.startswith(prefix))
            built |= names
        if len(built) == known:
            break
    return (
        {name[len(prefix) :] for name in found}
        if told
        else {_COMPUTED, *(n[len(prefix) :] for n in everything)}
    )


def puts_object_elsewhere(init: FunctionSource) -> bool:
    """Whether `__init__` puts its object into another one: `ALL.append(self)`, `BY_NAME[name] = self`."""
    receiver = init.receiver
    for node in walk(init.node) if receiver else ():
        placed: list[ast.expr] = []
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in FILLS:
            placed = node.args
        elif isinstance(node, ast.Assign) and not all(isinstance(one, ast.Name) for one in node.targets):
            placed = [node.value]
        if any(isinstance(one, ast.Name) and one.id == receiver for one in placed):
            return True
    return False


def uses(method: FunctionSource, attributes: set[bytes], holds: Callable[[bytes, int, int], bool]) -> bool:
    """Whether a method mentions one of these attributes of `self` (for `""`, `super` or `in self`) where it `holds`.

    Or asks for one whose name is computed, if that may be one.
    """
    text, receiver = method.text, method.receiver.encode()
    words: list[bytes] = []
    if _COMPUTED in attributes and any(way % receiver in text for way in _BY_COMPUTED_NAME):
        return True
    for name in attributes if receiver else ():
        words += (receiver + b"." + name,) if name else (b"super", b"in " + receiver)
    return any(first_place(text, word, 0, len(text), holds) >= 0 for word in words)


def _pieces(body: list[ast.stmt]) -> Iterator[tuple[int, int, list[ast.expr], ast.expr | None]]:
    """Yields each statement in order: first row, last row, targets, and its value if it is an expression statement."""
    for statement in body:
        last = statement.end_lineno or statement.lineno
        if isinstance(statement, ast.Assign):
            targets = [e for t in statement.targets for e in getattr(t, "elts", (t,))]
            yield statement.lineno, last, targets, None
        elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
            yield statement.lineno, last, [statement.target], None
        elif isinstance(statement, ast.Expr):
            for value in getattr(statement.value, "elts", (statement.value,)):
                yield statement.lineno, last, [], value
        else:
            if isinstance(statement, (ast.For, ast.AsyncFor)):
                targets = [*getattr(statement.target, "elts", (statement.target,))]
                yield statement.lineno, statement.body[0].lineno - 1, targets, None
            for inner in inner_bodies(statement):
                yield from _pieces(inner)


def _own(target: ast.Attribute, receiver: str) -> str:
    """The attribute of the object itself that a target sets, or sets something of: `act` of `self.act.inplace`."""
    while isinstance(target.value, (ast.Attribute, ast.Subscript)):
        inner: ast.expr = target.value
        while isinstance(inner, ast.Subscript):
            inner = inner.value
        if not isinstance(inner, ast.Attribute):
            return ""
        target = inner
    return target.attr if isinstance(target.value, ast.Name) and target.value.id == receiver else ""


def _whole(target: ast.expr) -> ast.expr:
    """The container that is assigned to, as `x` for `x[0] = …`: it then holds the value."""
    return target.value if isinstance(target, ast.Subscript) else target


def _changed(call: ast.Call, receiver: str) -> set[bytes]:
    """What a call statement changes: `layers` of `layers.append(…)`, `self.x` of `self.add_module("x", …)`."""
    node = call.func
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == receiver:
            return {f"{receiver}.{node.attr}".encode()}
    if not isinstance(node, ast.Name):
        return set()
    if (
        node.id == "setattr"
        and call.args
        and isinstance(call.args[0], ast.Name)
        and call.args[0].id == receiver
    ):
        call = ast.Call(node, call.args[1:], [])
    elif node.id != receiver:
        return {node.id.encode()}
    name = call.args[0] if call.args else None
    if isinstance(name, ast.Constant) and isinstance(name.value, str):
        return {f"{receiver}.{name.value}".encode()}
    return set()


def _parameters_built(function: FunctionSource, rows: list[int], named: bool) -> set[bytes]:
    """Parameters whose default is a call or lambda on one of the rows; with `named`, also a name there, or a type."""
    found = set()
    kinds = (ast.Call, ast.Lambda, ast.Name, ast.Attribute) if named else (ast.Call, ast.Lambda)
    for parameter in (*function.parameters, *function.node.args.kwonlyargs):
        default = function.default_of(parameter)
        told = (default if isinstance(default, kinds) else None, parameter.annotation if named else None)
        for one in told:
            at = len(rows) if one is None else bisect_left(rows, one.lineno)
            if one is not None and at < len(rows) and rows[at] <= (one.end_lineno or one.lineno):
                found.add(parameter.arg.encode())
    return found
