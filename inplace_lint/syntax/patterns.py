"""Lowers the patterns of `match`: the test of each part, and the names that it binds, as instructions."""

from __future__ import annotations

import ast
from functools import partial
from typing import TYPE_CHECKING, Protocol

from . import ir

if TYPE_CHECKING:
    from collections.abc import Callable


class Lowering(Protocol):
    """What patterns need of the lowering of a function."""

    block: ir.Block

    def register(self) -> int: ...
    def emit(self, instruction: ir.Instruction) -> None: ...
    def expression(self, node: ast.expr) -> int: ...
    def store_name(self, node: ast.AST, name: str, register: int) -> None: ...


def test(to: Lowering, pattern: ast.pattern, subject: int) -> int:
    """Emits the test of a pattern, and the stores of its captures; the register that tells whether it matches."""
    if isinstance(pattern, ast.MatchSingleton):
        return _compared(to, pattern, "is", subject, _constant(to, pattern, pattern.value))
    if isinstance(pattern, ast.MatchValue):
        return _compared(to, pattern, "==", subject, to.expression(pattern.value))
    if isinstance(pattern, ast.MatchOr):
        return _any_of(to, pattern, subject)
    if isinstance(pattern, ast.MatchSequence):
        return _sequence(to, pattern, subject)
    if isinstance(pattern, ast.MatchMapping):
        return _mapping(to, pattern, subject)
    if isinstance(pattern, ast.MatchClass):
        return _class(to, pattern, subject)
    if isinstance(pattern, ast.MatchAs):
        steps = [lambda: _bound(to, pattern, pattern.name, subject)]
        inner = pattern.pattern
        if inner is not None:
            steps.insert(0, lambda: test(to, inner, subject))
        return _all_of(to, pattern, steps)
    return _constant(to, pattern, True)


def _all_of(to: Lowering, at: ast.AST, steps: list[Callable[[], int]]) -> int:
    """Emits tests one after the other, each only if those before it hold."""
    if len(steps) == 1:
        return steps[0]()
    result, first = to.register(), steps[0]()
    to.emit(ir.Move(at, result, first))
    outer, to.block = to.block, []
    to.emit(ir.Move(at, result, _all_of(to, at, steps[1:])))
    then, to.block = to.block, outer
    to.emit(ir.If(at, first, then, []))
    return result


def _any_of(to: Lowering, pattern: ast.MatchOr, subject: int) -> int:
    result = to.register()
    outer = []
    for alternative in pattern.patterns:
        found = test(to, alternative, subject)
        to.emit(ir.Move(alternative, result, found))
        outer.append((alternative, found, to.block))
        to.block = []
    orelse = to.block
    for alternative, found, block in reversed(outer):
        to.block = block
        if orelse:
            to.emit(ir.If(alternative, found, [], orelse))
        orelse = block
    return result


def _sequence(to: Lowering, pattern: ast.MatchSequence, subject: int) -> int:
    """`[a, *rest, b]`: of the right length, each part matches."""
    stars = [i for i, part in enumerate(pattern.patterns) if isinstance(part, ast.MatchStar)]
    star = stars[0] if stars else len(pattern.patterns)
    fixed = len(pattern.patterns) - len(stars)
    steps: list[Callable[[], int]] = [
        lambda: _asked(to, pattern, "match sequence", subject, fixed, bool(stars))
    ]

    def element(part: ast.pattern, index: int) -> int:
        return test(to, part, _item(to, part, subject, index))

    for number, part in enumerate(pattern.patterns):
        after = len(pattern.patterns) - number - 1
        index = number if number < star else -after - 1
        if isinstance(part, ast.MatchStar):
            bounds = (number, -after if after else None)
            steps.append(partial(_starred, to, part, subject, *bounds))
        else:
            steps.append(partial(element, part, index))
    return _all_of(to, pattern, steps)


def _mapping(to: Lowering, pattern: ast.MatchMapping, subject: int) -> int:
    """`{"kind": "conv", **rest}`: each key is there, and its value matches."""
    steps: list[Callable[[], int]] = [lambda: _asked(to, pattern, "match mapping", subject)]
    keys: list[int] = []

    def entry(key: ast.expr, part: ast.pattern) -> int:
        register = to.expression(key)
        keys.append(register)
        return _all_of(
            to,
            part,
            [
                lambda: _compared(to, part, "in", register, subject),
                lambda: test(to, part, _got(to, part, subject, register)),
            ],
        )

    for key, part in zip(pattern.keys, pattern.patterns):
        steps.append(partial(entry, key, part))
    if pattern.rest is not None:
        steps.append(
            lambda: _bound(to, pattern, pattern.rest, _opaque(to, pattern, "match rest", [subject, *keys]))
        )
    return _all_of(to, pattern, steps)


def _class(to: Lowering, pattern: ast.MatchClass, subject: int) -> int:
    """`Point(x, y=0)`: an instance whose attributes match."""
    cls = to.expression(pattern.cls)
    steps: list[Callable[[], int]] = [lambda: _opaque(to, pattern, "match class", [subject, cls])]

    def positional(number: int, part: ast.pattern) -> int:
        place = _constant(to, part, number)
        return test(to, part, _opaque(to, part, "match part", [subject, cls, place]))

    def named(name: str, part: ast.pattern) -> int:
        register = to.register()
        to.emit(ir.GetAttribute(part, register, subject, name))
        return test(to, part, register)

    for number, part in enumerate(pattern.patterns):
        steps.append(partial(positional, number, part))
    for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns):
        steps.append(partial(named, name, part))
    return _all_of(to, pattern, steps)


def _bound(to: Lowering, at: ast.AST, name: str | None, register: int) -> int:
    if name is not None:
        to.store_name(at, name, register)
    return _constant(to, at, True)


def _starred(to: Lowering, part: ast.MatchStar, subject: int, start: int, stop: int | None) -> int:
    bounds, index = [_constant(to, part, bound) for bound in (start, stop, None)], to.register()
    to.emit(ir.Build(part, index, "slice", [(False, bound) for bound in bounds]))
    found = to.register()
    to.emit(ir.GetItem(part, found, subject, index))
    return _bound(to, part, part.name, found)


def _item(to: Lowering, at: ast.AST, subject: int, index: int) -> int:
    return _got(to, at, subject, _constant(to, at, index))


def _got(to: Lowering, at: ast.AST, subject: int, index: int) -> int:
    found = to.register()
    to.emit(ir.GetItem(at, found, subject, index))
    return found


def _constant(to: Lowering, at: ast.AST, value: object) -> int:
    register = to.register()
    to.emit(ir.Constant(at, register, value))
    return register


def _compared(to: Lowering, at: ast.AST, op: str, left: int, right: int) -> int:
    register = to.register()
    to.emit(ir.Compare(at, register, op, left, right))
    return register


def _asked(to: Lowering, at: ast.AST, kind: str, subject: int, *more: object) -> int:
    return _opaque(to, at, kind, [subject, *(_constant(to, at, one) for one in more)])


def _opaque(to: Lowering, at: ast.AST, kind: str, operands: list[int]) -> int:
    register = to.register()
    to.emit(ir.Opaque(at, register, kind, operands))
    return register
