"""Builds the one object of each class that stands for all that unknown code may have built."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import inherited, lookup, names, objects
from .entry_arguments import arguments_of
from .values import FunctionValue, Instance, Unknown

if TYPE_CHECKING:
    from .class_value import ClassValue
    from .program import Program


def build(program: Program, cls: ClassValue) -> Instance:
    """The one object of a class, to be built on first use with unknown arguments or their defaults."""
    known = program.built.objects.get(cls)
    if known is not None:
        return known
    run = program.building_run(cls.source.module)
    if not cls.bases and cls.source.bases:
        cls.bases = [names.evaluate_in(run, cls.source.module, base) for base in cls.source.bases]
    obj = program.built.objects[cls] = Instance(cls, shared=True)
    init = lookup.find(run, cls.order(), "__init__")
    if isinstance(init, FunctionValue):
        obj.pending = ([], arguments_of(run, init.source, obj))
    elif inherited.base_of(cls):
        obj.pending = ([], {})
    else:
        obj.pending = ([], {}) if inherited.is_of_another_package(cls) else None
        for name in objects.fields(cls):
            obj.keys[name] = None
            program.built.base.slots[(obj, name)] = Unknown()
    return obj
