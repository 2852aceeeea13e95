"""Decides the parts of `match` patterns: whether a value is a sequence of some length, a mapping, of a class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import containers, instances, lookup, mappings, objects
from .class_value import ClassValue
from .frames import LENGTH
from .values import (
    Array,
    Constant,
    Instance,
    Mapping_,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Sequence

    from .run import Run

#: Values that match neither a sequence nor a mapping pattern.
_SINGLE = (Constant, Tensor, Instance, TorchModule, ClassValue, Symbol, Array)


def _is_sequence(run: Run, operands: Sequence[Value], at: ast.AST) -> Value:
    """Whether the subject is a list or tuple of so many elements, or at least so many."""
    subject, count, open_ = operands
    assert isinstance(count, Constant) and isinstance(count.value, int) and isinstance(open_, Constant)
    if isinstance(subject, (Mapping_, *_SINGLE)) or (
        isinstance(subject, Sequence_) and subject.kind == "set"
    ):
        return Constant(False)
    length = containers.length(run, subject)
    if length is None:
        return Scalar()
    return Constant(length >= count.value if open_.value else length == count.value)


def _is_mapping(run: Run, operands: Sequence[Value], at: ast.AST) -> Value:
    subject = operands[0]
    if isinstance(subject, Mapping_):
        return Constant(True)
    return Constant(False) if isinstance(subject, (Sequence_, *_SINGLE)) else Scalar()


def _is_of_class(run: Run, operands: Sequence[Value], at: ast.AST) -> Value:
    return instances.is_instance(run, operands)


def _part(run: Run, operands: Sequence[Value], at: ast.AST) -> Value:
    """What a positional sub-pattern matches: an attribute by `__match_args__`, or a builtin value itself."""
    subject, cls, number = operands
    assert isinstance(number, Constant) and isinstance(number.value, int)
    if isinstance(cls, Symbol) and cls.dotted.startswith("builtins."):
        return subject
    if not isinstance(cls, ClassValue):
        return Unknown()
    told = lookup.find(run, cls.order(), "__match_args__")
    given = [] if told is None else containers.items(run, told) or []
    names = [one.value for one in given if isinstance(one, Constant)] or objects.fields(cls)
    name = names[number.value] if number.value < len(names) else None
    return run.attribute(subject, name, at) if isinstance(name, str) else Unknown()


def _rest(run: Run, operands: Sequence[Value], at: ast.AST) -> Value:
    """The dict of what a mapping pattern does not name."""
    subject, *keys = operands
    made = Mapping_()
    run.born[made] = run.inexact
    run.state.slots[(made, LENGTH)] = Constant(0)
    mappings.update(run, made, subject)
    for key in keys:
        mappings.remove_key(run, made, key)
    return made


ASKED: dict[str, Callable[[Run, Sequence[Value], ast.AST], Value]] = {
    "match sequence": _is_sequence,
    "match mapping": _is_mapping,
    "match class": _is_of_class,
    "match part": _part,
    "match rest": _rest,
}


def asked(run: Run, kind: str, operands: Sequence[Value], at: ast.AST) -> Value:
    """The answer to a question that a `match` statement asks."""
    return ASKED[kind](run, [run.settled(operand) for operand in operands], at)
