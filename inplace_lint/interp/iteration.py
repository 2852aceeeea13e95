"""Models loops and unpacking: which elements a `for` runs over, and which values `a, b = value` binds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    containers,
    cuts,
    elements,
    external_modules,
    indexing,
    inherited,
    mappings,
    places,
    positions,
    protocols,
    unmodeled,
)
from .frames import DEAD, FIRST, OVER
from .guards import both, either, implies
from .iterators import Iteration
from .joins import join
from .layers import is_module
from .storage import DOES
from .values import (
    ANY,
    Constant,
    Instance,
    Mapping_,
    Optimizer,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Tensor,
    Text,
    TorchModule,
    Unknown,
    Value,
    flatten,
)

if TYPE_CHECKING:
    import ast

    from .guards import Guard
    from .run import Run

#: A loop over at most this many known elements is unrolled.
UNROLL = 8
#: The same for modules: their order matters. And for tensors: each may be one that a write has spoiled.
_LAYERS = 12
_TENSORS = 32
#: The same for one of several lists: each of its elements is one of several as well.
_EACH = 3


def iterate(run: Run, value: Value, at: ast.AST) -> tuple[bool, list[Value]]:
    """The elements of a loop: (True, all of them), or (False, some that stand for the first to the last round)."""
    value = protocols.iterator(run, value, at)
    if isinstance(value, Iteration) and run.state.get((value, OVER)) is not None:
        return True, []  # it was gone through before
    exact, elements = _iterate(run, value, at)
    if isinstance(value, Iteration) and not value.again:
        run.state.slots[(value, OVER)] = Constant(True)
    if isinstance(value, Sequence_) and value.kind == "iterator" and run.inexact <= run.born.get(value, 0):
        containers.clear(run, value)
    if not exact:
        for element in elements:
            containers.one_of_many(run, element, value)
            for pair in flatten(element):
                for inner in run.elements(pair) if isinstance(pair, Sequence_) else ():
                    containers.one_of_many(run, inner, value)
        if len(elements) == 2 and elements[0] is not elements[1]:
            _note_rounds(run, *elements)
    return exact, elements


def _note_rounds(run: Run, first: Value, second: Value) -> None:
    """Notes what the second round of a loop gets for what the first one got: the element, or each part of a pair."""
    run.round_before.update({first: None, second: first})
    if isinstance(first, Sequence_) and isinstance(second, Sequence_):
        for one, other in zip(run.elements(first), run.elements(second)):
            run.round_before.update({one: None, other: one})


def by_length(run: Run, value: Value) -> list[tuple[Guard, Guard, Value]]:
    """The rounds of a loop over a list that is longer on some paths than on others.

    Each round: the paths that have it, the paths on which the list ends before it, and its element. Empty if the list
    has one known length, none, or more than `UNROLL` elements.
    """
    counts: list[tuple[Guard, int, Value]] = []
    for guard, atom in run.live(run.settled(value)):
        inner = inherited.contents(run, atom)
        known = containers.known_lengths(run, inner)
        if not known:
            return []
        counts += [(both(guard, one), count, inner) for one, count in known]
    most = UNROLL if len({inner for *_, inner in counts}) == 1 else _EACH
    if len({count for _, count, _ in counts}) < 2 or max(count for _, count, _ in counts) > most:
        return []
    rounds: list[tuple[Guard, Guard, Value]] = []
    for i in range(max(count for _, count, _ in counts)):
        there = over = DEAD
        elements: list[tuple[Guard, Value]] = []
        for guard, count, inner in counts:
            there, over = (either(there, guard), over) if count > i else (there, either(over, guard))
            if count > i:
                elements.append((guard, run.state.get((inner, i)) or Unknown()))
        rounds.append((there, over, join(elements)))
    return rounds


def _iterate(run: Run, value: Value, at: ast.AST) -> tuple[bool, list[Value]]:
    value = run.settled(value)
    if isinstance(value, Phi):
        return _iterate_each(run, value, at)
    known = containers.items(run, value)
    if known is not None:
        if (
            len(known) <= UNROLL
            or (len(known) <= _LAYERS and all(map(is_module, known)))
            or (len(known) <= _TENSORS and all(isinstance(one, Tensor) for one in known))
        ):
            return True, known
        return False, [known[0], *([Unknown()] if _differ(known) else ()), known[-1]]
    if isinstance(value, Iteration):
        return value.all()
    parts = containers.parts_of(run, value) or ()
    if 1 < len(parts) <= UNROLL:
        each = [_iterate(run, part, at)[1] if starred else [part] for starred, part in parts]
        return False, [element for elements in each for element in elements]
    if isinstance(value, Sequence_):
        element = run.state.get((value, ANY))
        if element is not None and value.kind == "fresh":
            return False, [containers.fresh_element(run, value, ("part", i)) for i in range(2)]
        if isinstance(element, Phi) and (
            all(isinstance(a, (Tensor, Instance, Sequence_, Optimizer)) for _, a in element.alternatives)
            or all(isinstance(a, Unknown) for _, a in element.alternatives)
        ):
            # A loop appended one of these in each of its rounds, so each round of this loop takes another.
            atoms = flatten(element)
            return False, [atoms[0], *([Unknown()] if _are_modules(atoms[1:-1]) else ()), atoms[-1]]
        if isinstance(element, Scalar) and type(element) in (Scalar, Text):
            return False, [_like(element), _like(element)]
        if isinstance(element, Phi) and any(isinstance(a, TorchModule) for _, a in element.alternatives):
            in_order = positions.in_order(value)
            if in_order and all(implies(run.path, guard) for guard, _ in in_order):
                return False, [layer for _, layer in in_order]
            # The order between the ends is not known: unknown values separate the layers.
            first, last = positions.at_end(run, value, FIRST), positions.last(run, value)
            between = [Unknown(), positions.one_of(run, value, element.alternatives), Unknown()]
            return False, [*([] if first is None else [first]), *between, *([] if last is None else [last])]
        if element is not None:
            return False, [element, _another_layer(run, element)]
    stands = value.tensor if isinstance(value, Unknown) else None
    if isinstance(value, Tensor) or (stands is not None and stands.storage.is_tensor()):
        row = indexing.iterate(run, value, at)
        return False, [row, row]
    if isinstance(value, Parameters):
        return False, [value, value]
    if isinstance(value, Mapping_):
        names = mappings.names(run, value)
        if names is not None and len(names) <= UNROLL:
            return True, names
        return False, [mappings.key_of_any(run, value), mappings.key_of_any(run, value)]
    if isinstance(value, Scalar):
        return False, [Scalar(), Scalar()]
    owner = value if isinstance(value, Unknown) and value.is_given() else None
    first, last = places.of_round(run, owner, 0), places.of_round(run, owner, -1)
    first.alone = last.alone = isinstance(value, Unknown) and value.alone
    external_modules.expect_modules_in(run, value, [first, last])
    return False, unmodeled.computed_from(run, [first, last], value) if owner is None else [first, last]


def _iterate_each(run: Run, value: Phi, at: ast.AST) -> tuple[bool, list[Value]]:
    """`_iterate` for one of several values, without `None`: their elements are joined round by round.

    If one of them is unknown, so are the elements.
    """
    alive = [
        (guard, atom)
        for guard, atom in run.live(value)
        if not (isinstance(atom, Constant) and atom.value is None)
    ]
    if any(isinstance(atom, Unknown) and atom.tensor is None for _, atom in alive):
        return False, unmodeled.computed_from(run, [Unknown(), Unknown()], value)
    each = [(guard, *_iterate(run, atom, at)) for guard, atom in alive]
    counts = {len(elements) for _, _, elements in each}
    if len(counts) == 1 and max(counts) <= _EACH and all(exact for _, exact, _ in each):
        return True, [join([(guard, elements[i]) for guard, _, elements in each]) for i in range(*counts)]
    ends = [(guard, elements[0], elements[-1]) for guard, _, elements in each if elements]
    if not ends:
        return False, [Unknown(), Unknown()]
    first, last = (
        join([(guard, one) for guard, one, _ in ends]),
        join([(guard, one) for guard, _, one in ends]),
    )
    return False, [first, last]


def _are_modules(elements: list[Value]) -> bool:
    """Whether some are modules: the result of the first goes to one of them, but which is not known."""
    return any(map(is_module, elements))


def _differ(elements: list[Value]) -> bool:
    """Whether elements are of several classes, so that their order matters."""
    kinds = {getattr(e, "cls", None) or getattr(e, "name", None) or type(e) for e in elements}
    return len(kinds) > 1


def _another_layer(run: Run, element: Value) -> Value:
    """Another layer of the same configuration with weights of its own: rounds of a loop do not share them."""
    if not isinstance(element, TorchModule) or element.weights is None:
        return element
    weights = run.new_tensor("parameter", DOES, None, leaf=True)
    other = TorchModule(element.name, element.config, weights, element.built)
    assert other.weights is not None
    other.weights.storage.made = element.weights.storage.made
    other.weights.storage.dtype = element.weights.storage.dtype
    other.weights.storage.initialised = True
    return other


def _like(number: Scalar) -> Scalar:
    """Another number or string of the same kind."""
    other = type(number)()
    other.number = number.number
    return other


def unpack(run: Run, value: Value, count: int, star: int, at: ast.AST) -> list[Value]:
    """The values for `count` targets; the target at index `star` (-1: none) is starred and takes the rest."""
    alternatives = run.live(value)
    if len(alternatives) > 1:
        is_tuple = any(containers.length(run, atom) == count for _, atom in alternatives)
        rows = []
        for guard, atom in alternatives:
            if is_tuple and isinstance(atom, (Tensor, Unknown)):  # hardly of `count` rows by chance
                rows.append((guard, _members(run, atom, count)))
            else:
                rows.append((guard, _unpack(run, atom, count, star, at)))
        return [join([(guard, row[i]) for guard, row in rows]) for i in range(count)]
    return _unpack(run, alternatives[0][1] if alternatives else value, count, star, at)


def take(run: Run, value: Value, count: int, at: ast.AST) -> list[Value]:
    """The first `count` elements of a value that has at least as many."""
    known = containers.items(run, value)
    return known[:count] if known is not None and len(known) >= count else unpack(run, value, count, -1, at)


def _unpack(run: Run, value: Value, count: int, star: int, at: ast.AST) -> list[Value]:
    """`unpack` for a value that is no `Phi`."""
    value = protocols.iterator(run, value, at)
    known = containers.items(run, value)
    if isinstance(value, Iteration):
        if star < 0:
            return value.first(count)
        exact, elements = value.all()
        known = elements if exact else None
        value = containers.make(run, "list", elements, exact)
    if known is not None:
        if star < 0 and len(known) == count:
            return known
        if star >= 0 and len(known) >= count - 1:
            rest = len(known) - (count - 1)
            middle = containers.make(run, "list", known[star : star + rest])
            return [*known[:star], middle, *known[star + rest :]]
        return [Unknown() for _ in range(count)]
    parts = containers.parts_of(run, value)
    if parts is not None:
        return _of_parts(run, value, parts, count, star, at)
    return _of_one_kind(run, value, count, star, at)


def _of_one_kind(run: Run, value: Value, count: int, star: int, at: ast.AST) -> list[Value]:
    """The values of unpacking if the elements are not known one by one."""
    # What an unknown network returns counts as a tensor until it is unpacked: then it is a tuple.
    stands = value.tensor if isinstance(value, Unknown) and not value.of_module else None
    if stands is not None and stands.storage.is_tensor():
        value = stands
    if isinstance(value, Tensor):
        owner = value.storage.value
        if (
            value.part
            and isinstance(owner, Unknown)
            and (not value.storage.proved or value.storage.parts_only)
        ):
            # `h, c = states[i]`: an element of what may be a list is as likely a tuple as a tensor.
            return _members(run, owner, count, at if value.taken is None else value.taken.key)
        row = indexing.iterate(run, value, at)
        return [row for _ in range(count)]
    if isinstance(value, Sequence_):
        if value.kind == "fresh":
            return [containers.fresh_element(run, value, ("part", i)) for i in range(count)]
        element = run.state.get((value, ANY))
        if element is None:
            return [Unknown() for _ in range(count)]
        # Tensors among them are several, which share no memory.
        ends = [i if star < 0 or i <= star else i - count for i in range(count)]
        found = [elements.at_place(run, element, places.at(run, value, end)) for end in ends]
        return [containers.one_of_many(run, one) for one in found]
    if isinstance(value, (Scalar, Optimizer)):
        if star < 0:
            cuts.note_rank(run, value, count)
        return [run.scalar(("part", value, i)) for i in range(count)]
    return _members(run, value, count)


def _members(run: Run, value: Value, count: int, key: object = None) -> list[Value]:
    """The values of unpacking no tensor: new ones, but those of an unknown value are the same each time.

    `key`: under which the element of `value` is found that is unpacked; None for `value` itself.
    """
    if not isinstance(value, Unknown):
        return [Unknown() for _ in range(count)]
    parts = [places.under_index(run, value, i if key is None else (key, i)) for i in range(count)]
    run.several.parts.update(part for part in parts if isinstance(part, Unknown))
    return parts


def _of_parts(
    run: Run, value: Value, parts: list[tuple[bool, Value]], count: int, star: int, at: ast.AST
) -> list[Value]:
    """The values of unpacking a display with stars, `[a, *rest, b]`; `parts` are (starred, value)."""
    spread = [i for i, (starred, _) in enumerate(parts) if starred]
    head = [element for _, element in parts[: spread[0]]]
    tail = [element for _, element in parts[spread[-1] + 1 :]]
    left = count - len(head) - len(tail)
    if star < 0:
        if left < 0 or len(spread) > 1:
            return _of_one_kind(run, value, count, star, at)
        return [*head, *take(run, parts[spread[0]][1], left, at), *tail]
    after = count - star - 1
    if star > len(head) or after > len(tail):
        return _of_one_kind(run, value, count, star, at)
    rest = parts[star : len(parts) - after]
    return [*head[:star], containers.make_of_parts(run, "list", rest), *tail[len(tail) - after :]]
