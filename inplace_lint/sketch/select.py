"""Chooses the functions of a file whose sketch says that a run may find something."""

from __future__ import annotations

from .screen import around, calls_of, rows_of, with_candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.module import FunctionSource, Module
    from .summaries import Sketches

#: How far a function that writes its argument is followed to its callers, within its file.
_CALLERS = 3


def suspects(sketches: Sketches, module: Module) -> list[FunctionSource | None]:
    """The functions that are worth a run, in the order of the text, and None for the file's top level."""
    functions = module.functions_in_order()
    pending = list(with_candidates(module))
    known = set(pending)
    seen: set[FunctionSource] = set()
    suspicious: set[FunctionSource] = set()
    outside = _outside(module, functions)
    body = any(map(outside, rows_of(module)))
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
        calls = calls_of(module, writers)
        body = body or any(map(outside, calls))
        late = writers - known  # whoever was sketched before did not know that these write
        again = around(module, functions, calls_of(module, late), calls=True) if late else {}
        known |= late
        pending = [f for f in around(module, functions, calls, calls=True) if f not in seen or f in again]
        if not pending:
            break
        sketches.writers.update(pending)
        for source in pending:
            sketches.forget(source)
    found: list[FunctionSource | None] = [f for f in functions if f in suspicious]
    if _trains(module, outside) or (body and sketches.of_body(module).suspicious):
        found.append(None)
    return found


def _outside(module: Module, functions: list[FunctionSource]) -> Callable[[int], bool]:
    """Whether a row stands at the top level of the file, or in a class body."""
    inside = [(f.node.lineno, f.node.end_lineno or 0) for f in functions]

    def is_outside(row: int) -> bool:
        return not any(first <= row <= last for first, last in inside)

    return is_outside


def _trains(module: Module, outside: Callable[[int], bool]) -> bool:
    """Whether the top level of the file runs a backward: then it knows what its functions are given."""
    return b".backward(" in module.source and any(
        b".backward(" in line and outside(row) for row, line in enumerate(module.lines, 1)
    )
