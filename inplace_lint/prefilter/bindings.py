"""Evaluates the names at the top level of a file, followed through imports, to abstract values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.module import ClassSource, FunctionSource, Module
from .atoms import NOTHING, UNKNOWN, Class, File, Function, Symbol

if TYPE_CHECKING:
    from ..resolve.names import Definition
    from .atoms import Atoms
    from .summaries import Prefilter


def of_module(prefilter: Prefilter, module: Module, name: str) -> Atoms:
    """The value of a name at the top level of a file."""
    key = (module, name)
    known = prefilter.globals.get(key)
    if known is None:
        prefilter.globals[key] = NOTHING  # ends cycles of assignments
        known = prefilter.globals[key] = _value(prefilter, prefilter.names.definition(module, name), key)
    return known


def imported(prefilter: Prefilter, module: Module, name: str, member: str | None, level: int) -> Atoms:
    """What `from name import member`, or `import name`, binds."""
    return _value(prefilter, prefilter.names.imported(module, name, member, level))


def of_dotted(prefilter: Prefilter, module: Module, dotted: str, name: str) -> Atoms:
    """`dotted.name`, where `dotted` is outside the project."""
    return _value(prefilter, prefilter.names.attribute(module, dotted, name))


def _value(prefilter: Prefilter, found: Definition | None, asked: tuple[Module, str] | None = None) -> Atoms:
    """The value of a definition, found for the name `asked`; a name that is bound again has its last value."""
    if found is None:
        return UNKNOWN
    what = found.what
    if isinstance(what, str):
        return (Symbol(what),)
    if isinstance(what, FunctionSource):
        return (Function(what),)
    if isinstance(what, ClassSource):
        return (Class(what),)
    if isinstance(what, Module):
        return (File(what),)
    if (found.module, found.name) != asked:
        return of_module(prefilter, found.module, found.name)
    return prefilter.top_of(found.module).value(what)
