"""Selects the functions of a file that are worth an exact run: those that write in their own text, or run such layers.

Callers of what writes are found later, by what an exact run of the callee leaves open (`schedule`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.module import FunctionSource, Module
from . import hooks, inherited, initializers, scripts
from .callers import that_build
from .may_write import imports
from .source_words import Pattern, called, called_in, has_word, mentions, runs_backward, takes_backward
from .text_screen import around, hands_on, may_compute, rows_of

if TYPE_CHECKING:
    from .prefilter import Prefilter

_NONE: frozenset[str] = frozenset()


def may_find(prefilter: Prefilter, module: Module) -> bool:
    """Whether a run of anything in a file may be worth it: it writes, or uses what may write in other files."""
    prefilter.declared.mark(module)
    if rows_of(module) or prefilter.candidates(module):
        return True
    if may_compute(module) and (
        prefilter.writers.calls_abroad(module) or imported_builders(prefilter, module)
    ):
        return True
    return bool(scripts.leading_to_training(prefilter, module))


def suspects(prefilter: Prefilter, module: Module) -> list[FunctionSource | None]:
    """The functions that are worth a run, in text order; None stands for the top level of the file."""
    prefilter.declared.mark(module)
    rows = rows_of(module)
    building = imported_builders(prefilter, module)
    candidates = prefilter.candidates(module)
    if not rows and not building and not candidates:
        return []
    chosen = {
        f
        for f in candidates
        if not (prefilter.passes_over(f) or initializers.only_initialises(module, f, rows))
    }
    if building:
        named = mentions(module, building | that_build(module, building))
        chosen.update(f for f in around(module, named, named, named=True) if f.name != "__init__")
    hooked = [*hooks.hooked(prefilter, module)] if candidates or building else []
    chosen.update(hooked)
    functions = module.functions_in_order()
    found: list[FunctionSource | None] = [f for f in functions if f in chosen]
    found += [f for f in hooked if f not in functions]
    if module.classes:
        found += inherited.of_subclasses(prefilter, module, candidates)
    if trains(module) or any(not module.functions_at(row) for row in rows):
        found.append(None)
    return found


def imported_builders(prefilter: Prefilter, module: Module) -> set[str]:
    """Imported names that build in-place modules, hang hooks or are declared to write, unseen in this file's text."""
    found: set[str] = set()
    if not may_compute(module):
        return found  # it hands tensors on, if it has any
    words = {*called(module)}
    for name, definition in imports(prefilter, module, words):
        what = definition.what
        if isinstance(what, Module):
            found.update(source.name for source in prefilter.declared.writers(what))
            found.update(
                word
                for word in what.functions.keys() & words
                if _builds(prefilter, module, what.functions[word])
            )
        elif isinstance(what, str):
            if prefilter.declared.writes(what, module):
                found.add(name)
        elif isinstance(what, FunctionSource):
            if (
                what in prefilter.declared.writers(what.module)
                or _builds(prefilter, module, what)
                or hooks.changes_modules(what)
            ):
                found.add(name)
        elif isinstance(what, ast.Call) and any(keyword.arg == "inplace" for keyword in what.keywords):
            found.add(name)  # `partial(ReLU, inplace=True)`
    return found


def _builds(prefilter: Prefilter, module: Module, source: FunctionSource) -> bool:
    """Whether an imported function may return an in-place module, for the classes of this file to keep and run."""
    if source.owner is not None:
        return False
    if source.module.memo.builders != _NONE and _builds_unsaid(source):
        return True
    return (
        bool(module.classes)
        and b"inplace" in source.text
        and hands_on(source)
        and source in prefilter.candidates(source.module)
    )


def _builds_unsaid(source: FunctionSource) -> bool:
    """Whether a function builds an in-place module through a global, such as `Act = partial(ReLU, inplace=True)`.

    Neither its own text nor that of its callers then mentions `inplace`.
    """
    module = source.module
    names = module.memo.builders
    if names is None:
        names = module.memo.builders = frozenset(
            name for name, value in module.assignments.items() if _says_in_place(module, value)
        )
    text = source.text
    return bool(names) and b"inplace" not in text and any(has_word(text, name.encode()) for name in names)


def _says_in_place(module: Module, value: ast.expr) -> bool:
    return b"inplace=" in module.source and b"inplace=True" in module.text(
        value.lineno, value.end_lineno or value.lineno
    )


#: Calls through which a backward is searched for.
_DEEP = 5


def trains(module: Module, function: FunctionSource | None = None) -> bool:
    """Whether a function runs a backward, directly or through functions of its file; so its inputs are known there.

    Without a function: whether the file's top level does.
    """
    if not runs_backward(module):
        return False
    text = _statements(module) if function is None else function.text
    by_name: dict[str, list[FunctionSource]] = {}
    for function in module.functions_in_order() if text else ():
        by_name.setdefault(function.name, []).append(function)
    entered: set[FunctionSource] = set()
    for _ in range(_DEEP):
        if takes_backward(text):
            return True
        words = called_in(text)
        called = {f for name in words for f in by_name.get(name, ()) if _may_be_called(f, text)}
        called.update(f for word in _PARTIAL().findall(text) for f in by_name.get(word.decode(), ()))
        called -= entered
        if not called:
            return False
        entered |= called
        text = b"\n".join([f.text for f in called])
    return False


#: The function of which a text makes another with fewer arguments.
_PARTIAL = Pattern(rb"\bpartial\(\s*(\w+)")


def _may_be_called(function: FunctionSource, text: bytes) -> bool:
    """Whether a call of this name in a text gives the function what it needs: `model.train()` is no `train(loader)`."""
    given = function.node.args
    needed = len(given.posonlyargs) + len(given.args) - len(given.defaults)
    is_bound = function.owner is not None and function.descriptor != "staticmethod"
    word = function.name.encode() + b"("
    return needed <= int(is_bound) or text.count(word) > text.count(word + b")")


def _statements(module: Module) -> bytes:
    """The text of the file's top level without definitions and imports."""
    return b"\n".join(
        module.text(statement.lineno, statement.end_lineno or statement.lineno)
        for statement in module.tree.body
        if not isinstance(statement, _DEFINITIONS)
    )


_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
