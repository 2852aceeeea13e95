"""Models lists, tuples and dicts. Elements live in the path's state, so a store in one branch stays in that branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import elements, external_modules, places, stale_reads, unmodeled
from .frames import FIRST, LAST, LENGTH, OVER, PARTS
from .guards import both
from .iterators import Iteration
from .joins import join
from .slices import Slice
from .values import (
    ABSENT,
    ANY,
    Constant,
    Instance,
    Mapping_,
    Parameters,
    Scalar,
    Sequence_,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from .guards import Guard
    from .run import Run


#: A list with more possible lengths than this has an unknown length.
_LENGTHS = 4
#: Strings up to this length are known letter by letter.
_SPELLED = 64
#: What the state holds for an end, length or parts of a list that are not known.
NOT_KNOWN = Unknown()


def make(run: Run, kind: str, items: Sequence[Value], exact: bool = True) -> Value:
    """A new tuple, list, set or slice; `exact`: `items` are all its elements, in this order."""
    if kind == "slice":
        return Slice(items)
    sequence = Sequence_(kind)
    run.born[sequence] = run.inexact
    if exact:
        for i, item in enumerate(items):
            run.put(sequence, i, item)
        run.state.slots[(sequence, LENGTH)] = Constant(len(items))
    else:
        for item in items:
            smear(run, sequence, item)
    return sequence


class Parts(Value):
    """The parts of a list such as `[a, *rest]`, as (starred, value); valid while the list has this `length`."""

    __slots__ = ("length", "parts")

    def __init__(self, parts: list[tuple[bool, Value]], length: Value | None) -> None:
        self.parts = parts
        self.length = length


def make_of_parts(run: Run, kind: str, parts: list[tuple[bool, Value]]) -> Value:
    """A new container of single elements and of spread (starred) values, whose number of elements may be unknown."""
    items_: list[Value] = []
    open_: list[tuple[bool, Value]] = []
    exact = True
    for starred, value in parts:
        inner = spread(run, value) if starred else [value]
        if inner is None:
            exact = False
            items_ += elements_of(run, value)
            open_.append((True, value))
        else:
            items_ += inner
            open_ += [(False, one) for one in inner]
    made = make(run, kind, items_, exact)
    if not exact:
        run.state.slots[(made, PARTS)] = Parts(open_, run.state.get((made, LENGTH)))
        places.follow(run, made, parts[0][1] if parts[0][0] else made, parts[-1][1] if parts[-1][0] else made)
    return made


def begin(run: Run, sequence: Sequence_, elements_: Sequence[Value]) -> None:
    """Notes the elements at the beginning of a list of unknown length, as far as it has that many."""
    rest = make(run, sequence.kind, elements_, exact=False)
    open_ = [*((False, element) for element in elements_), (True, rest)]
    run.state.slots[(sequence, PARTS)] = Parts(open_, run.state.get((sequence, LENGTH)))


def joined(run: Run, left: Sequence_, right: Sequence_) -> Value:
    """`left + right`: a new list of the elements of both."""
    known = [items(run, one) for one in (left, right)]
    if None not in known:
        return make(run, left.kind, [element for each in known for element in each or ()])
    made = make(run, left.kind, [*run.elements(left), *run.elements(right)], exact=False)
    places.follow(run, made, left, right)
    open_: list[tuple[bool, Value]] = []
    for one, each in zip((left, right), known):
        single = None if each is None else [(False, element) for element in each]
        open_ += single if single is not None else parts_of(run, one) or [(True, one)]
    run.state.slots[(made, PARTS)] = Parts(open_, run.state.get((made, LENGTH)))
    ends = {FIRST: (left, known[0], 0), LAST: (right, known[1], -1)}
    for end, (one, each, number) in ends.items():
        at_this_end = run.state.get((one, end)) if each is None else each[number] if each else None
        if at_this_end is not None:
            run.state.slots[(made, end)] = at_this_end
    return made


def parts_of(run: Run, value: Value) -> list[tuple[bool, Value]] | None:
    """The parts that a list of unknown length was built of; None if there are none, or the list has changed since."""
    found = run.state.get((value, PARTS)) if isinstance(value, Sequence_) else None
    if isinstance(found, Parts) and found.length is run.state.get((value, LENGTH)):
        return found.parts
    return None


def spread(run: Run, value: Value) -> list[Value] | None:
    """The elements of a value spread by a star (`[*value]`, `f(*value)`); None if their number is not known."""
    if isinstance(value, Iteration):
        if run.state.get((value, OVER)) is not None:
            return []
        exact, elements_ = value.all()
        if exact and not value.again:
            run.state.slots[(value, OVER)] = Constant(True)
        return elements_ if exact else None
    return items(run, value)


def elements_of(run: Run, value: Value) -> list[Value]:
    """Values that stand for the elements of a value whose number of elements is not known."""
    if isinstance(value, Iteration):
        return value.all()[1]
    element = any_element(run, value)
    if isinstance(value, Unknown) and isinstance(element, Unknown) and not value.is_given():
        return unmodeled.computed_from(run, [element], value)
    return [element]


def of_unknown_length(run: Run, kind: str, other: Sequence_) -> Value:
    """A container with the elements of another one, whose length is not known or differs between paths."""
    counts = known_lengths(run, other)
    if counts:
        made = Sequence_(kind)
        run.born[made] = run.inexact
        for i in range(max(count for _, count in counts)):
            element = run.state.get((other, i))
            if element is not None:
                run.put(made, i, element)
        run.state.slots[(made, LENGTH)] = join([(guard, Constant(count)) for guard, count in counts])
        return made
    spread = make(run, kind, run.elements(other), exact=False)
    if isinstance(spread, Sequence_):
        spread.appended = other.appended
        if spread.appended:
            spread.appended = [*spread.appended, *_where_known(run, other)]
        places.follow(run, spread, other, other)
    ends = {(spread, end): run.state.get((other, end)) for end in (FIRST, LAST)}
    run.state.slots.update({key: value for key, value in ends.items() if value is not None})
    return spread


def _where_known(run: Run, value: Sequence_) -> Iterator[tuple[Guard, Value]]:
    """Yields the elements of a list on those paths on which its length is known."""
    for guard, count in lengths(run, value):
        for i in range(count or 0):
            element = run.state.get((value, i)) or Unknown()
            yield from ((both(guard, path), atom) for path, atom in alternatives(element))


def length(run: Run, value: Value) -> int | None:
    """The number of elements, if it is known."""
    if isinstance(value, (Sequence_, Mapping_)):
        found = run.state.get((value, LENGTH))
        if isinstance(found, Constant) and isinstance(found.value, int):
            return found.value
    return None


def lengths(run: Run, value: Sequence_) -> list[tuple[Guard, int | None]]:
    """The possible lengths of a list, each with its guard; None stands for a length that is not known."""
    found = run.state.get((value, LENGTH))
    live = [] if found is None else run.live(found)
    if not 0 < len(live) <= _LENGTHS:
        return [(run.path, None)]
    return [
        (guard, atom.value if isinstance(atom, Constant) and type(atom.value) is int else None)
        for guard, atom in live
    ]


def known_lengths(run: Run, value: Value) -> list[tuple[Guard, int]]:
    """The possible lengths of a list, each with its guard; empty if one of them is not known."""
    found = lengths(run, value) if isinstance(value, Sequence_) else []
    known = [(guard, count) for guard, count in found if count is not None]
    return known if len(known) == len(found) else []


def items(run: Run, value: Value) -> list[Value] | None:
    """The elements one by one, or None if their number is not known."""
    if isinstance(value, Constant) and isinstance(value.value, (str, tuple)) and len(value.value) <= _SPELLED:
        return [Constant(one) for one in value.value]
    count = length(run, value)
    if count is None or not isinstance(value, Sequence_):
        return None
    found = []
    for i in range(count):
        element = run.state.get((value, i))
        found.append(Unknown() if element is None else element)
    return found


def any_element(run: Run, value: Value) -> Value:
    """An element at an unknown position; an unknown value, unless one element can stand for all of them."""
    element = one_of_many(run, _any_element(run, value), value)
    external_modules.expect_modules_in(run, value, [element])
    return element


def one_of_many(run: Run, value: Value, container: Value | None = None) -> Value:
    """Notes that each tensor or object the value may be stands for any of several; returns the value.

    `container`: it stands for any of these elements.
    """
    for _, atom in alternatives(value):
        if isinstance(atom, (Tensor, Unknown)) and isinstance(container, (Sequence_, Mapping_)):
            run.several.drawn_from.setdefault(atom, container)
        if isinstance(atom, Tensor):
            run.several.many.add(atom)
        elif isinstance(atom, Unknown) and atom.tensor is not None:
            run.several.many.add(atom.tensor)
        elif isinstance(atom, (Instance, TorchModule)):
            atom.many = True
    return value


def _any_element(run: Run, value: Value) -> Value:
    if isinstance(value, (Sequence_, Mapping_)):
        found = run.elements(value)
        if value.kind == "ModuleList":  # `None` stands in places that nobody takes a layer from
            found = [f for f in found if not isinstance(f, Constant)]
        if found and all(isinstance(f, TorchModule) for f in found):
            return found[0] if len({f.name for f in found if isinstance(f, TorchModule)}) == 1 else Unknown()
        if len(found) == 1 and (ANY in value.keys or length(run, value) == 1):
            return Unknown() if elements.is_mixed(found[0]) else found[0]
        if found and all(isinstance(f, Instance) for f in found):
            classes = {f.cls for f in found if isinstance(f, Instance)}
            return found[0] if len(classes) == 1 else Unknown()
        if found and all(isinstance(f, (Scalar, Constant)) for f in found):
            return Scalar()
    if isinstance(value, Parameters):
        return value
    return Unknown()


def fresh_element(run: Run, sequence: Sequence_, key: Hashable) -> Value:
    """The element at `key` of a list whose elements share no memory; made on demand, like the element for all keys."""
    known = run.state.get((sequence, key))
    if known is not None:
        return known
    pattern = run.state.get((sequence, ANY))
    if isinstance(pattern, Unknown):
        unknown = Unknown()
        unknown.nodes, unknown.returned, unknown.of_module = (
            pattern.nodes,
            pattern.returned,
            pattern.of_module,
        )
        unknown.behind = pattern.behind
        if pattern.tensor is not None:
            unknown.tensor = _like(run, pattern.tensor)
        run.put(sequence, key, unknown)
        return unknown
    if not isinstance(pattern, Tensor):
        return Unknown()
    element = _like(run, pattern)
    if pattern.storage in run.handed.given:
        run.handed.given.add(element.storage)
    run.put(sequence, key, element)
    return element


def _like(run: Run, pattern: Tensor) -> Tensor:
    """A tensor with a new storage, and with the dtype, layout and graph of `pattern`."""
    element = run.new_tensor("result", 0, None, dtype=pattern.storage.dtype)
    element.contiguous, element.dense = pattern.contiguous, pattern.dense
    element.storage.made = pattern.storage.made
    element.storage.proved, element.storage.sources = pattern.storage.proved, pattern.storage.sources
    run.heap.copy_graph(pattern.storage, element.storage)
    return element


def is_empty_as_made(run: Run, container: Sequence_ | Mapping_) -> bool:
    """Whether a container is empty, and unchanged since the object that holds it was built."""
    found = run.state.get((container, LENGTH))
    built = run.program.built.base.get((container, LENGTH))
    return found is built and isinstance(found, Constant) and found.value == 0


def fill(run: Run, container: Sequence_ | Mapping_, element: Value) -> None:
    """Lets a container hold any number of elements like `element`, from the start of the run."""
    slots = run.bottom().slots
    container.keys[ANY] = None
    slots[(container, ANY)] = element
    for what in (LENGTH, FIRST, LAST, PARTS):
        slots[(container, what)] = NOT_KNOWN


def forget_ends(run: Run, sequence: Sequence_, moved: tuple[int, int] | None = None) -> None:
    """Forgets which elements of a list are first and last, in which order others are, and the parts it was built of.

    `moved`: by how many elements its ends moved inwards, if the others are in order still.
    """
    sequence.appended = None
    for what in (FIRST, LAST, PARTS):
        run.state.slots[(sequence, what)] = NOT_KNOWN
    if moved is None:
        places.forget(run, sequence)
    else:
        places.move(run, sequence, *moved)


def smear(run: Run, container: Sequence_ | Mapping_, value: Value, key: Value | None = None) -> None:
    """Adds an element at an unknown position; in a mapping, under an unknown key, of which `key` may tell a part."""
    if isinstance(container, Mapping_):
        elements.file(run, container, key, value)
    else:
        container.appended = None
    known = run.state.get((container, ANY))
    value = elements.put_back(run, value)
    run.state.slots[(container, LENGTH)] = run.state.slots[(container, LAST)] = NOT_KNOWN
    if isinstance(known, TorchModule) and isinstance(value, TorchModule) and known.name == value.name:
        return  # the known layer stands for both: which one an element is would be a guess
    if known is None and container.kind == "unknown" and isinstance(value, Constant):
        value = Unknown()  # the other elements are unknown, and not all this constant
    run.put(container, ANY, value if known is None else join([(run.path, known), (run.path, value)]))


#: Limit of the elements of unknown number whose order is kept.
_APPENDED = 16


def append(run: Run, sequence: Sequence_, value: Value) -> None:
    """`list.append`: adds the value at the end, or at an unknown position if the length is not known."""
    if sequence in run.root.outside:
        run.heap.escape(run.tensors_within(value), run.path)
    if isinstance(value, Tensor):
        stale_reads.put_again(run, sequence, value)
    count = length(run, sequence)
    if run.inexact > run.born.get(sequence, 0) or (
        count is None and not _append_module(run, sequence, value)
    ):
        if count is not None:
            run.state.slots[(sequence, FIRST)] = (
                run.state.get((sequence, 0)) if count else value
            ) or Unknown()
        before = sequence.appended
        if count and not before:
            before = [(run.path, one) for one in items(run, sequence) or ()]
        smear(run, sequence, value)
        places.move(run, sequence, back=-1)
        run.state.slots[(sequence, LAST)] = value
        here = run.within[-1] if run.within else None
        # What was made before the loop may be one of more than the rounds that are run.
        made_here = not isinstance(value, TorchModule) or value.loop is here
        if before is not None and len(before) < _APPENDED and made_here:
            sequence.appended = [*before, (run.path, value)]
    elif count is not None and count == sequence.longest:
        for i, kept in enumerate([*(items(run, sequence) or ())[1:], value]):
            run.put(sequence, i, kept)
    elif count is not None:
        run.put(sequence, count, value)
        run.state.slots[(sequence, LENGTH)] = Constant(count + 1)


def _append_module(run: Run, sequence: Sequence_, value: Value) -> bool:
    """Appends a module to a list whose length differs between paths; False if it is none, or a length is unknown."""
    counts = known_lengths(run, sequence) if isinstance(value, (TorchModule, Instance, Sequence_)) else []
    for guard, count in counts:
        known = run.state.get((sequence, count))
        longer = [] if known is None else [(other, known) for other, length in counts if length > count]
        run.put(sequence, count, join([(guard, value), *longer]))
    if counts:
        run.state.slots[(sequence, LENGTH)] = join([(guard, Constant(count + 1)) for guard, count in counts])
    return bool(counts)


def clear(run: Run, container: Sequence_ | Mapping_) -> None:
    """Removes all elements on this path."""
    if isinstance(container, Mapping_):
        for key in (*container.keys, *(container.patterns or ())):
            if run.state.get((container, key)) is not None:
                run.state.slots[(container, key)] = ABSENT
    else:
        forget_ends(run, container)
    run.state.slots[(container, LENGTH)] = Constant(0)
