"""Chooses the functions of a file whose sketch says that a run may find something."""

from __future__ import annotations

from .screen import around, calls_of, with_candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..syntax.module import FunctionSource, Module
    from .summaries import Sketches

#: How far a function that writes its argument is followed to its callers, within its file.
_CALLERS = 3


def suspects(sketches: Sketches, module: Module) -> list[FunctionSource]:
    """The functions that are worth a run, in the order of the text."""
    functions = module.functions_in_order()
    pending = list(with_candidates(module))
    seen: set[FunctionSource] = set()
    suspicious: set[FunctionSource] = set()
    for _ in range(_CALLERS):
        writers: set[FunctionSource] = set()
        for source in pending:
            seen.add(source)
            summary = sketches.of(source)
            if summary.suspicious:
                suspicious.add(source)
            if summary.writes or summary.weak:
                writers.add(source)
        if not writers:
            break
        pending = [f for f in around(module, functions, calls_of(module, writers)) if f not in seen]
        if not pending:
            break
        sketches.writers.update(pending)
        for source in pending:
            sketches.forget(source)
    return [f for f in functions if f in suspicious]
