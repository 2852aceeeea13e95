"""Chooses the functions of a file whose sketch says that a run may find something."""

from __future__ import annotations

from . import bindings
from .atoms import Class, File, Function
from .construct import Scope, classes_of
from .screen import around, calls_of, rows_of, with_candidates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..syntax.module import ClassSource, FunctionSource, Module
    from .atoms import Atom
    from .summaries import Sketches

#: How far a function that writes its argument is followed to its callers, within its file.
_CALLERS = 3


def suspects(sketches: Sketches, module: Module) -> list[FunctionSource | None]:
    """The functions that are worth a run, in the order of the text, and None for the file's top level."""
    foreign = foreign_writers(sketches, module)
    if not foreign and not rows_of(module):
        return []
    functions = module.functions_in_order()
    chosen = with_candidates(module)
    rows = rows_of(module)
    if foreign:
        rows = sorted({*rows, *calls_of(module, foreign)})
        callers = around(module, functions, calls_of(module, foreign), calls=True)
        sketches.writers.update(callers)
        chosen = {**chosen, **callers}
    pending = [f for f in functions if f in chosen]
    known = set(pending)
    seen: set[FunctionSource] = set()
    suspicious: set[FunctionSource] = set()
    outside = _outside(module, functions)
    body = any(map(outside, rows))
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


def foreign_writers(sketches: Sketches, module: Module) -> set[FunctionSource]:
    """Functions of the project's other files that this one calls and that write what they are given, or their object."""
    found: set[FunctionSource] = set()
    for name in module.imports:
        binding = module.imports[name]
        if sketches.files.project.resolve(binding.module, module.filename, binding.level) is None:
            continue
        for atom in bindings.of_module(sketches, module, name):
            for source in _functions(sketches, atom):
                called = b"(" if source.name == "forward" else source.name.encode() + b"("
                if called in module.source and sketches.may_write(source) and sketches.of(source).tensors:
                    found.add(source)
    return found


def _functions(sketches: Sketches, atom: Atom) -> list[FunctionSource]:
    """The functions that a file can call by way of what it has imported."""
    if isinstance(atom, Function):
        return [atom.source]
    if isinstance(atom, Class):
        return _methods(sketches, atom.source)
    if isinstance(atom, File):
        return list(atom.module.functions.values())
    return []


def _methods(sketches: Sketches, cls: ClassSource) -> list[FunctionSource]:
    found: dict[str, FunctionSource] = {}
    for owner in classes_of(Scope(sketches, cls.module), cls):
        if not isinstance(owner, str):
            for name, method in owner.methods.items():
                found.setdefault(name, method)
    found.pop("__init__", None)
    return list(found.values())


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
