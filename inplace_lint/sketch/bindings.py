"""What the names at the top level of a file stand for, through imports and re-exports of the project."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.spelling import canonical
from .atoms import NOTHING, UNKNOWN, Cell, Class, File, Function, Symbol

if TYPE_CHECKING:
    from ..syntax.module import Module
    from .atoms import Sketched
    from .summaries import Sketches

#: A package that re-exports more modules than this by `import *` is not searched through.
_STARS = 16
_BUILTINS = frozenset(vars(builtins))


def of_module(sketches: Sketches, module: Module, name: str) -> Sketched:
    """The value of a name at the top level of a file."""
    key = (module, name)
    known = sketches.globals.get(key)
    if known is None:
        sketches.globals[key] = NOTHING  # ends cycles of imports
        known = sketches.globals[key] = _find(sketches, module, name)
    return known


def _find(sketches: Sketches, module: Module, name: str) -> Sketched:
    if name in module.imports and name not in module.functions and name not in module.classes:
        binding = module.imports[name]
        return imported(sketches, module, binding.module, binding.member, binding.level)
    if name in module.functions:
        return (Function(module.functions[name]),)
    if name in module.classes:
        return (Class(module.classes[name]),)
    if name in module.assignments:
        return sketches.top_of(module).value(module.assignments[name])
    for star, level in module.stars[:_STARS]:
        target = sketches.files.resolve(star, module.filename, level)
        if target is not None and (target.binds(name) or target.stars):
            found = of_module(sketches, target, name)
            if found and not isinstance(found[0], Cell):
                return found
        elif target is None and not level and sketches.declared.said_of(f"{star}.{name}", module) is not None:
            return (Symbol(f"{star}.{name}"),)
        elif target is None and not level and star.partition(".")[0] == "torch":
            dotted = canonical(f"{star}.{name}")
            if table.exists_function(dotted) or table.module(dotted) is not None:
                return (Symbol(dotted),)
    if name in _BUILTINS:
        return (Symbol(f"builtins.{name}"),)
    return UNKNOWN


def imported(sketches: Sketches, module: Module, name: str, member: str | None, level: int) -> Sketched:
    """What `from name import member`, or `import name`, binds."""
    if level or name.partition(".")[0] != "torch":
        found = sketches.files.imported(module, name, member, level)
        if found is not None:
            target, bound = found
            if bound is None:
                return (File(target),)
            return of_module(sketches, target, bound) if target.binds(bound) or target.stars else UNKNOWN
        if level:
            return UNKNOWN
    return (Symbol(canonical(name if member is None else f"{name}.{member}")),)
