"""What the names at the top level of a file stand for, as values of a sketch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.module import ClassSource, FunctionSource, Module
from .atoms import NOTHING, UNKNOWN, Class, File, Function, Symbol

if TYPE_CHECKING:
    from ..resolve.names import Definition
    from .atoms import Sketched
    from .summaries import Sketches


def of_module(sketches: Sketches, module: Module, name: str) -> Sketched:
    """The value of a name at the top level of a file."""
    key = (module, name)
    known = sketches.globals.get(key)
    if known is None:
        sketches.globals[key] = NOTHING  # ends circles of assignments
        known = sketches.globals[key] = _value(sketches, sketches.names.definition(module, name), key)
    return known


def imported(sketches: Sketches, module: Module, name: str, member: str | None, level: int) -> Sketched:
    """What `from name import member`, or `import name`, binds."""
    return _value(sketches, sketches.names.imported(module, name, member, level))


def of_dotted(sketches: Sketches, module: Module, dotted: str, name: str) -> Sketched:
    """An attribute of what is outside of the project."""
    return _value(sketches, sketches.names.attribute(module, dotted, name))


def _value(sketches: Sketches, found: Definition | None, asked: tuple[Module, str] | None = None) -> Sketched:
    """The value of what was found for the name that is asked for; bound again, it is what it is bound to last."""
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
        return of_module(sketches, found.module, found.name)
    return sketches.top_of(found.module).value(what)
