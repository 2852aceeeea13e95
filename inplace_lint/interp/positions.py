"""Decides which element of a list of unknown length stands at its ends, or is taken in a round of a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .containers import NOT_KNOWN, lengths
from .frames import LAST
from .guards import ALWAYS, both, compatible, literal
from .joins import join
from .values import (
    ANY,
    Constant,
    Instance,
    Scalar,
    Sequence_,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    alternatives,
    flatten,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import TypeGuard

    from .guards import Guard
    from .run import Run


def at_end(run: Run, sequence: Sequence_, end: str) -> Value | None:
    """The first or last element of a list of unknown length, if it is known and a module or parameter on every path."""
    found = run.state.get((sequence, end))
    return found if found is not None and all(map(_is_part, flatten(found))) else None


def _is_part(value: Value) -> bool:
    """Whether it is a module or a parameter."""
    if isinstance(value, Tensor):
        return value.storage.origin == "parameter"
    return isinstance(value, (TorchModule, Instance, Sequence_))


def last(run: Run, sequence: Sequence_) -> Value | None:
    """The last element, also of a list of unknown length, if it is known on every path."""
    found: list[tuple[Guard, Value]] = []
    for guard, count in lengths(run, sequence):
        one = run.state.get((sequence, LAST if count is None else count - 1))
        if one is None or any(atom is NOT_KNOWN for atom in flatten(one)):
            return None
        found.append((guard, one))
    return join(found)


def but_last(run: Run, sequence: Sequence_) -> list[Value]:
    """The elements of a list without its last, as far as that can be told apart."""
    found, left_out = run.state.get((sequence, ANY)), last(run, sequence)
    if found is None or left_out is None:
        return run.elements(sequence)
    others = [(guard, atom) for guard, atom in alternatives(found) if atom is not left_out]
    return [join(others)] if others else [found]


def in_order(value: Sequence_) -> list[tuple[Guard, Value]]:
    """The layers of torch that a loop of unknown length appended, of the rounds that were run; empty if not known."""
    found = value.appended or []
    return found if all(isinstance(layer, TorchModule) for _, layer in found) else []


def by_round(run: Run, sequence: Sequence_, index: Value) -> Value | None:
    """The module `layers[i]` for a loop index i, the same as a loop over the list itself would yield.

    None if any element does. Of layers of several kinds only the last is known. If that one may write its input, even
    it is unknown: the layer before it, whose result it would write, is not known.
    """
    found = run.state.get((sequence, ANY))
    if found is None or not isinstance(index, Scalar):
        return None
    each = alternatives(found)
    is_last = index.last and index.shift == 0 and index.bound is run.scalar(("len", sequence))
    end = last(run, sequence) if is_last else None
    if _are_of_several_kinds(found):
        return Unknown() if end is None or _may_write(run, end) else end
    if len(each) > 1 and index.bound is not None and all(_is_chain(atom) for _, atom in each):
        return each[-1 if index.last else 0][1]
    return end


def one_of(run: Run, container: Hashable, layers: Sequence[tuple[Guard, Value]]) -> Value:
    """One of the layers in a container, each under a literal of its own, or else an unknown value."""
    others: Guard = ALWAYS
    found: list[tuple[Guard, Value]] = []
    for number, (guard, layer) in enumerate(layers):
        bit = run.bit(("one of", container, number))
        found.append((both(guard, both(others, literal(bit, True))), layer))
        others = both(others, literal(bit, False))
    return join([*found, (others, Unknown())])


def _are_of_several_kinds(found: Value) -> bool:
    """Whether a list holds a layer of torch and another one on the same path, so that their order matters."""
    layers = [
        (guard, atom)
        for guard, atom in alternatives(found)
        if isinstance(atom, TorchModule) or _is_chain(atom)
    ]
    return any(
        isinstance(one, TorchModule) and compatible(guard, path)
        for guard, one in layers
        for path, other in layers
        if other is not one
    )


def _is_chain(value: Value) -> TypeGuard[Sequence_]:
    return isinstance(value, Sequence_) and value.kind == "Sequential"


def _may_write(run: Run, layer: Value) -> bool:
    """Whether a layer may write its input in place; a layer of torch does only with `inplace=True`."""
    if _is_chain(layer):
        return any(
            (part := run.state.get((layer, key))) is None or _may_write(run, part) for key in layer.keys
        )
    if not isinstance(layer, TorchModule):
        return True
    asked = layer.config.get("inplace")
    return asked is not None and not (isinstance(asked, Constant) and not asked.value)
