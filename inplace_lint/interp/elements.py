"""Distinguishes elements of a container with unknown layout by the keys they are read under: `d[k]` is not `d[j]`."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from . import places
from .class_value import ClassValue
from .frames import LENGTH
from .guards import compatible
from .handles import Handle, is_plain_object
from .joins import join
from .storage import ElementPlace, Taken
from .values import (
    Constant,
    FunctionValue,
    Instance,
    Optimizer,
    Phi,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    alternatives,
)

if TYPE_CHECKING:
    from .frames import Loop
    from .run import Run
    from .values import Mapping_, Pattern, Value


def taken(
    run: Run, container: Sequence_ | Mapping_, found: Value, key: Value, place: ElementPlace | None = None
) -> Value:
    """The element under `key`, or at a place, of a container in which `found` stands for any element.

    A tensor gets an alias for each key. Objects that a loop stored are dealt out in the order in which keys are read.
    """
    name: object = place or (
        (type(key.value), key.value)
        if isinstance(key, Constant)
        else tuple(part and run.identity(part) for part in _parts(run, key)) or run.identity(key)
    )
    loop = run.within[-1] if run.within else None
    each = alternatives(found)
    if len(each) > 1 and all(isinstance(atom, (Instance, Optimizer)) for _, atom in each):
        asked = run.several.asked_for.setdefault((container, pattern(run, key), loop), [])
        if name not in asked:
            asked.append(name)
        number = asked.index(name)
        return each[number][1] if number < len(each) else Unknown()
    if place is None and isinstance(container, Sequence_):
        name = places.under(run, container, name)
    return at_place(run, found, name)


def at_place(run: Run, found: Value, name: object) -> Value:
    """The element under a name, where `found` stands for any: an alias of each tensor that it may be."""
    loop = run.within[-1] if run.within else None
    each = alternatives(found)
    if not any(isinstance(atom, (Tensor, Unknown)) for _, atom in each):
        return found
    return join([(g, _taken(run, a, name, loop)) for g, a in each])


def is_mixed(value: Value) -> bool:
    """Whether an element may be a module of several kinds on one path, so that their order is not known."""
    modules = [(guard, atom) for guard, atom in alternatives(value) if isinstance(atom, TorchModule)]
    return any(
        one.name != other.name and compatible(guard, path)
        for number, (guard, one) in enumerate(modules)
        for path, other in modules[:number]
    )


def of_rounds(atoms: list[Value]) -> bool:
    """Whether the rounds of a loop made these values, one each; else they are what one element was over time."""
    if all(isinstance(atom, Tensor) for atom in atoms):
        made = [atom.storage.made for atom in atoms if isinstance(atom, Tensor)]
        return all(place is not None and made[0] is not None and place.at is made[0].at for place in made)
    return all(isinstance(atom, (Instance, Optimizer, Sequence_)) for atom in atoms)


def put_back(run: Run, value: Value) -> Value:
    """The value to store in a container: for an alias that `taken` made, the tensor it was made of."""
    if not run.several.taken_for:
        return value
    if isinstance(value, Phi):
        return join([(guard, run.several.taken_for.get(atom, atom)) for guard, atom in value.alternatives])
    return run.several.taken_for.get(value, value)


def _taken(run: Run, value: Value, name: object, loop: Loop | None) -> Value:
    """The alias of a tensor, or of an unknown value in a list, which may be one, for one key in one loop."""
    if isinstance(value, Tensor):
        return _taken_tensor(run, value, name, loop)
    if not isinstance(value, Unknown) or not isinstance(name, ElementPlace):
        return value
    known = run.several.taken_unknown.get((value, name, loop))
    tensor = run.as_tensor(value) if known is None else None
    if known is None and tensor is not None:
        known = run.several.taken_unknown[value, name, loop] = copy(value)
        known.tensor = _taken_tensor(run, tensor, name, loop)
        run.several.taken_for[known] = value
    return known or value


def _taken_tensor(run: Run, tensor: Tensor, name: object, loop: Loop | None) -> Tensor:
    """The alias of a tensor for one key in one loop."""
    known = run.several.taken.get((tensor, name, loop))
    if known is None:
        known = run.several.taken[tensor, name, loop] = tensor.alias()
        known.taken = Taken(name, loop)
        run.several.taken_for[known] = tensor
        run.several.many.add(known)
    return known


def _parts(run: Run, key: Value) -> list[Value | None]:
    """The parts of a key that is a tuple of known length; empty for any other key."""
    if not isinstance(key, Sequence_) or key.kind != "tuple":
        return []
    count = run.state.get((key, LENGTH))
    if not isinstance(count, Constant) or not isinstance(count.value, int):
        return []
    return [run.state.get((key, i)) for i in range(count.value)]


def constant(run: Run, key: Value) -> Value:
    """A key that is a tuple of constants, or equals itself alone, as one constant; any other key as it is."""
    parts = _parts(run, key)
    held = [part.value for part in parts if isinstance(part, Constant)]
    if parts and len(held) == len(parts):
        return Constant(tuple(held))
    # A class, a function or a member of an enum is a key by itself.
    by_itself = isinstance(key, (ClassValue, FunctionValue, Symbol)) or (
        isinstance(key, Instance) and is_plain_object(key) and not key.cls.is_module()
    )
    return Constant(Handle(key)) if by_itself else key


def pattern(run: Run, key: Value) -> Pattern | None:
    """The known parts of a tuple key; None if no part is known. `("conv", i)` differs from `("norm", i)`."""
    if isinstance(key, Constant) and isinstance(key.value, tuple):
        return tuple((type(part), part) for part in key.value)
    parts = _parts(run, key)
    found = tuple((type(p.value), p.value) if isinstance(p, Constant) else None for p in parts)
    return found if any(found) else None


def file(run: Run, mapping: Mapping_, key: Value | None, value: Value) -> None:
    """Records a value under the known parts of its key; a key of which no part is known ends such records for good."""
    known = None if key is None else pattern(run, key)
    if known is None or mapping.patterns is None:
        mapping.patterns = None
        return
    mapping.patterns[known] = None
    before = run.state.get((mapping, known))
    run.state.slots[(mapping, known)] = (
        value if before is None else join([(run.path, before), (run.path, value)])
    )


def filed(run: Run, mapping: Mapping_, key: Value) -> Value | None:
    """The values recorded under keys that may equal `key`; None if the records of `file` do not narrow them down."""
    sought = pattern(run, key)
    if sought is None or not mapping.patterns:
        return None
    held = [run.state.get((mapping, one)) for one in mapping.patterns if _fits(one, sought)]
    found = [(run.path, value) for value in held if value is not None]
    return join(found) if found else None


def _fits(one: Pattern, other: Pattern) -> bool:
    """Whether one key may have both patterns."""
    return len(one) == len(other) and all(a is None or b is None or a == b for a, b in zip(one, other))
