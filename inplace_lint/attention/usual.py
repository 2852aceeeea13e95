"""Decides whether the weights of an attention are read in training, with every flag at its default."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .scalars import parameter_of
from .terms import Term, is_const, is_metadata

if TYPE_CHECKING:
    from collections.abc import Container

    from .frames import Sink
    from .graph import Graph

#: Recursion limit when a test is traced to the flag that decides it.
_DEPTH = 6


def reads(graph: Graph, sink: Sink, sought: set[Term], stops: Container[Term]) -> bool:
    """Whether one of the sought values reaches the sink in training, with every flag at its default."""
    if any(truth(graph, test) is (not holds) for test, holds in sink.conditions):
        return False
    stack, seen = [sink.term], set()
    while stack:
        term = stack.pop()
        if term in sought:
            return True
        if term in seen or term in stops or term.op in ("size", "shape") or is_metadata(term):
            continue
        seen.add(term)
        if term.op == "phi":
            holds = truth(graph, term.first)
            stack += term.args[1:] if holds is None else (term.args[1 if holds else 2],)
        else:
            stack += term.operands
    return False


def truth(graph: Graph, test: Term, depth: int = _DEPTH) -> bool | None:
    """The outcome of a test in training with every flag at its default; None if it is not determined."""
    if not depth:
        return None
    if test.op == "const":
        return bool(test.args[0])
    if test.op == "not":
        inner = truth(graph, test.first, depth - 1)
        return None if inner is None else not inner
    if test.op == "phi":
        holds = truth(graph, test.first, depth - 1)
        return None if holds is None else truth(graph, test.args[1 if holds else 2], depth - 1)
    if test.op in ("is", "is not") and is_const(test.args[1], None):
        default = _default(test.first) if test.first.op == "param" else None
        is_none = None if default is None else default.value is None
        return is_none if is_none is None or test.op == "is" else not is_none
    if test.op == "param":
        default = _default(test)
        return None if default is None else bool(default.value)
    if test.op == "attr" and test.first.op == "instance":
        if test.args[1] == "training":
            return graph.classes.is_module(test.first.args[0]) or None
        made = graph.classes.definition(test)
        return None if made is None else truth(graph, made, depth - 1)
    return None


def _default(parameter: Term) -> ast.Constant | None:
    """The default of a parameter if it is a constant flag: True, False or None."""
    default = parameter_of(parameter)[1]
    is_flag = isinstance(default, ast.Constant) and (default.value is None or isinstance(default.value, bool))
    return default if is_flag and isinstance(default, ast.Constant) else None
