"""Models dicts: which keys one has on a path, what stands under a key, and what adds and removes keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import elements
from .containers import any_element, length, make, smear
from .frames import KEYS, LATEST, LENGTH
from .handles import Handle
from .joins import join
from .values import (
    ABSENT,
    ANY,
    Constant,
    Mapping_,
    Parameters,
    Phi,
    Scalar,
    Tensor,
    Unknown,
    Value,
    alternatives,
    flatten,
    present,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from .run import Run


class Lazy(Mapping_):
    """A mapping whose values are made on demand by `find(key)`; `find(None)` stands for any of its values."""

    __slots__ = ("find",)

    def __init__(self, kind: str = "dict", find: Callable[[Value | None], Value] | None = None) -> None:
        super().__init__(kind)
        self.find = find


class Latest(Value):
    """What was stored last under a key that is not known: the same key, unchanged, gives it back."""

    __slots__ = ("key", "value")

    def __init__(self, key: Value, value: Value) -> None:
        self.key = key
        self.value = value

    def is_under(self, key: Value) -> bool:
        """Whether it is stored under this very key: a value that stands for one object in a round of a loop."""
        ours = [one for _, one in alternatives(self.key)]
        return all(
            isinstance(one, (Unknown, Scalar)) and any(one is other for other in ours)
            for _, one in alternatives(key)
        )


def names(run: Run, mapping: Mapping_) -> list[Value] | None:
    """The keys of a mapping in order, or None if they are not all known."""
    there = [key for key in mapping.keys if present(run.state.get((mapping, key))) is not None]
    if ANY in there or length(run, mapping) != len(there):
        return None
    return [key_of(run, mapping, key) for key in there]


def key_of(run: Run, mapping: Mapping_, key: Hashable) -> Value:
    """The key of an element of a mapping, as a value."""
    if not isinstance(key, tuple):
        return key_of_any(run, mapping)
    if isinstance(key[1], Handle):
        return key[1].value
    return make(run, "tuple", [*map(Constant, key[1])]) if isinstance(key[1], tuple) else Constant(key[1])


def put_key(run: Run, mapping: Mapping_, key: Value, value: Value) -> None:
    """mapping[key] = value."""
    if mapping in run.root.outside:
        run.heap.escape(run.tensors_within(value), run.path)
    if isinstance(key := elements.constant(run, key), Constant):
        place = ("key", key.value)
        count = length(run, mapping)
        before = run.state.get((mapping, place))
        if present(before) is None:
            mapping.keys.pop(place, None)  # it comes last
        run.put(mapping, place, value)
        if mapping.of is not None:
            run.set_part(mapping.of, str(key.value), value)
        unsure = isinstance(before, Phi) and present(before) is not before
        grown = Unknown() if count is None or unsure else Constant(count + (present(before) is None))
        run.state.slots[(mapping, LENGTH)] = grown
        _forget_latest(run, mapping)
    else:
        smear(run, mapping, value, key)
        run.state.slots[(mapping, LATEST)] = Latest(key, value)
        keys = (key, run.state.get((mapping, KEYS)) or key)
        tensors = all(isinstance(atom, (Tensor, Parameters)) for one in keys for _, atom in alternatives(one))
        run.state.slots[(mapping, KEYS)] = key if tensors else Scalar()


def _forget_latest(run: Run, mapping: Mapping_) -> None:
    if run.state.get((mapping, LATEST)) is not None:
        run.state.slots[(mapping, LATEST)] = Unknown()


def remove_key(run: Run, mapping: Mapping_, key: Value) -> None:
    """del mapping[key]."""
    count, key = length(run, mapping), elements.constant(run, key)
    there = holds(run, mapping, key.value) if isinstance(key, Constant) else None
    if count is None or there is None:
        run.state.slots[(mapping, LENGTH)] = Unknown()
    else:
        left = [
            (guard, Constant(count - (isinstance(one, Constant) and one.value is True)))
            for guard, one in alternatives(there)
        ]
        run.state.slots[(mapping, LENGTH)] = join(left)
    before = run.state.get((mapping, ("key", key.value))) if isinstance(key, Constant) else None
    if before is not None and isinstance(key, Constant):
        run.state.slots[(mapping, ("key", key.value))] = ABSENT


def key_of_any(run: Run, mapping: Mapping_) -> Value:
    """A value that stands for any key of a mapping: a tensor, if the latest key that is no constant was one."""
    found = run.state.get((mapping, KEYS))
    return Scalar() if found is None or type(found) is Scalar else found


def holds(run: Run, mapping: Mapping_, key: object) -> Value | None:
    """Whether a mapping has a key, by path; None if that is not known."""
    if length(run, mapping) is None or present(run.state.get((mapping, ANY))) is not None:
        return None
    held = run.state.get((mapping, ("key", key)))
    if held is None:
        return Constant(False)
    return join([(guard, Constant(atom is not ABSENT)) for guard, atom in run.live(held)])


def or_default(run: Run, mapping: Value, key: Value, found: Value, default: Value) -> Value:
    """What `mapping.get(key, default)` returns, if it is not known whether the key is there: the test is that of `in`.

    A default that is a constant is left out: what is found may be anything.
    """
    if not (isinstance(key, Constant) and isinstance(key.value, (str, int))):
        return found
    if all(isinstance(one, (Constant, Scalar)) for one in flatten(default)):
        return found
    held, missing = run.split(run.test(("in", ("constant", key.value), mapping)))
    return join([(held, found), (missing, default)])


def get_key(run: Run, mapping: Mapping_, key: Value) -> Value:
    """mapping[key]."""
    key = elements.constant(run, key)
    if isinstance(key, Constant):
        try:
            found = present(run.state.get((mapping, ("key", key.value))))
        except TypeError:
            found = None
        if found is not None:
            return found
    if isinstance(mapping, Lazy) and mapping.find is not None:
        return mapping.find(key)
    latest = None if isinstance(key, Constant) else run.state.get((mapping, LATEST))
    if isinstance(latest, Latest) and latest.is_under(key):
        return latest.value
    found = present(elements.filed(run, mapping, key) or run.state.get((mapping, ANY)))
    if found is not None and (isinstance(key, Constant) or len(mapping.keys) == 1):
        if isinstance(key, Constant):
            found = _under_key(run, found, key.value)
        elif isinstance(
            found, Unknown
        ):  # splitting a `Phi` by key would multiply its alternatives each time it is stored again
            found = _under_key(run, found, key)
        return elements.taken(run, mapping, found, key)
    if isinstance(key, Constant):
        # A key always gives the same unknown element.
        unknown = Unknown()
        run.put(mapping, ("key", key.value), unknown)
        return unknown
    return any_element(run, mapping)


def _under_key(run: Run, found: Value, key: Hashable) -> Value:
    """The value under one key of a mapping filled under unknown keys: an unknown value of its own for each key."""
    if not isinstance(found, (Unknown, Phi)):
        return found
    each = [
        (guard, run.member(atom, ("key", key)) if isinstance(atom, Unknown) else atom)
        for guard, atom in alternatives(found)
    ]
    return join(each)


def update(run: Run, mapping: Mapping_, other: Value) -> None:
    """Copies the items of `other` into `mapping`."""
    exact = length(run, mapping) is not None and length(run, other) is not None
    _forget_latest(run, mapping)
    if isinstance(other, Mapping_):
        mapping.patterns = None if ANY in other.keys else mapping.patterns
        for key in list(other.keys):
            value = present(run.state.get((other, key)))
            if isinstance(key, tuple) and value is not None:
                put_key(run, mapping, Constant(key[1]), value)
            elif value is not None:
                run.put(mapping, key, value)
                exact = False
    if not exact:
        run.state.slots[(mapping, LENGTH)] = Unknown()


def string_items(run: Run, value: Value) -> dict[str, Value] | None:
    """The keyword arguments that `**value` passes; None if a key is not known."""
    if not isinstance(value, Mapping_) or ANY in value.keys:
        return None
    found: dict[str, Value] = {}
    for key in value.keys:
        element = present(run.state.get((value, key)))
        if element is not None and isinstance(key, tuple):
            found[str(key[1])] = element
    return found
