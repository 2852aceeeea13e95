"""Finds out whether the top level of a file starts training that stands in other files: then it is worth a run.

`Trainer(Net(), build_loss(cfg)).fit(loader)` writes nothing and runs no backward in its own file, and yet only there is
known which network, loss and optimizer meet.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.nodes import inner_bodies
from .source_words import called_in, takes_backward

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..syntax.module import FunctionSource, Module
    from .prefilter import Prefilter

#: Limit: functions that are looked through for a backward.
_FUNCTIONS = 400
#: Statements whose value is made for what a call in it does, or for the statements that follow.
_CALLING = (ast.Expr, ast.Assign, ast.AnnAssign)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def leading_to_training(prefilter: Prefilter, module: Module) -> set[FunctionSource]:
    """The functions of the project through which statements at the top level of a file come to a backward."""
    rows = [row for statement in module.tree.body for row in _calling(statement)]
    if not rows:
        return set()
    text = b"\n".join(module.text(first, last) for first, last in rows)
    callers: dict[FunctionSource, FunctionSource | None] = dict.fromkeys(_called(prefilter, module, text))
    found: set[FunctionSource] = set()
    pending = [*callers]
    while pending and len(callers) < _FUNCTIONS:
        function = pending.pop(0)
        if takes_backward(function.text):
            caller: FunctionSource | None = function
            while caller is not None and caller not in found:
                found.add(caller)
                caller = callers[caller]
        for callee in _called(prefilter, function.module, function.text):
            if callee not in callers:
                callers[callee] = function
                pending.append(callee)
    return found


def _calling(statement: ast.stmt) -> Iterator[tuple[int, int]]:
    """The first and last rows of the statements in one of the top level, if a call in it is made for what it does."""
    if isinstance(statement, _DEFINITIONS):
        return
    bodies = [inner for body in inner_bodies(statement) for inner in body]
    whole = statement.lineno, statement.end_lineno or statement.lineno
    if bodies:
        if any(list(_calling(inner)) for inner in bodies):
            yield whole
    elif isinstance(statement, _CALLING) and isinstance(statement.value, ast.Call):
        yield whole


def _called(prefilter: Prefilter, module: Module, text: bytes) -> Iterable[FunctionSource]:
    """The functions of the project that a text may call: by name, or where an object of their class is built."""
    words = called_in(text)
    for function in (*module.functions_in_order(), *prefilter.writers.imported(module)):
        owner = function.owner
        if function.name in words or (
            function.name == "__init__" and owner is not None and owner.name in words
        ):
            yield function
