"""Finds functions that may write by what other files make, of which their own file's text says nothing.

That are functions under a decorator which wraps them in one that writes what they return, and classes that build their
layers from a table with in-place ones: `ACTIVATIONS[name]()`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..syntax.module import FunctionSource
from .callers import that_build
from .may_write import imports
from .source_words import called, mentions
from .text_screen import around, may_compute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..resolve.names import Definition
    from ..syntax.module import Module
    from .prefilter import Prefilter


def writing(prefilter: Prefilter, module: Module) -> Iterator[FunctionSource]:
    """The functions of a file that may write so."""
    if may_compute(module):
        yield from _decorated_by_writers(prefilter, module)
        yield from _built_from_tables(prefilter, module)


def _decorated_by_writers(prefilter: Prefilter, module: Module) -> Iterator[FunctionSource]:
    for function in module.functions_in_order():
        decorators = getattr(function.node, "decorator_list", ())
        if any(_makes_a_writer(prefilter, module, decorator) for decorator in decorators):
            yield function


def _makes_a_writer(prefilter: Prefilter, module: Module, decorator: ast.expr) -> bool:
    """Whether a decorator is, or is made by, a function of another file with one inside that may write by its text."""
    found = prefilter.names.resolve(module, decorator.func if isinstance(decorator, ast.Call) else decorator)
    maker = None if found is None else found.what
    if not isinstance(maker, FunctionSource) or maker.module is module:
        return False
    first, last = maker.node.lineno, maker.node.end_lineno or maker.node.lineno
    return any(first < one.node.lineno <= last for one in prefilter.candidates(maker.module))


def _built_from_tables(prefilter: Prefilter, module: Module) -> Iterator[FunctionSource]:
    words = {*called(module)}
    names = {
        name
        for name, definition in imports(prefilter, module, words)
        if _is_table_of_writers(prefilter, definition)
    }
    if names:
        rows = mentions(module, names | that_build(module, names))
        yield from (one for one in around(module, rows, rows, named=True) if one.name != "__init__")


def _is_table_of_writers(prefilter: Prefilter, definition: Definition) -> bool:
    """Whether a file makes a table for a name, and puts layers that write their input into it."""
    module, made_by = definition.module, definition.what
    if not isinstance(made_by, (ast.Call, ast.Dict, ast.DictComp)) or b"inplace=True" not in module.source:
        return False
    filling = prefilter.registrations.of(module, definition.name, from_anywhere=False) or []
    return any(
        b"inplace=True" in file.text(node.lineno, node.end_lineno or node.lineno)
        for file, node in ((module, made_by), *filling)
    )
