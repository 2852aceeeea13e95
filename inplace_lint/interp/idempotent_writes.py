"""Decides which writes are idempotent: `weight.data.mul_(mask)` again, with the same mask of 0s and 1s.

A tensor that was saved after the first such write holds the same values after the second: that is no hazard. Only
asked of writes that move no version counter; others raise in backward whatever the values are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guards import either, implies
from .values import Constant, Tensor

if TYPE_CHECKING:
    from .application import Application
    from .guards import Guard
    from .heap import Write
    from .run import Run
    from .values import Value

#: Makes zeros and ones, of whatever it is given; of zeros and ones makes such.
_MAKES = frozenset("zeros ones zeros_like ones_like new_zeros new_ones eye".split())
_KEEPS = frozenset(
    "clone contiguous flip tril triu cat stack repeat to type_as float double half bfloat16".split()
)
#: Puts one value everywhere, or here and there.
_FILLS = frozenset("fill_ zero_ copy_".split())
_PUTS = frozenset("setitem masked_fill_ index_fill_ mul_".split())
#: Done twice with the same numbers, does no more than once.
_ONCE = frozenset("fill_ zero_ clamp_ clamp_min_ clamp_max_ relu_ abs_ sign_ round_".split())
#: How the parameters are called that say what is put there.
_VALUES = frozenset("value src other source".split())


def of_result(op: Application) -> bool:
    """Whether what an op makes holds nothing but zeros and ones."""
    name = op.facts.layout.name
    given = [tensor for found in op.operands for _, tensor in found]
    return name in _MAKES or (name in _KEEPS and bool(given) and all(map(_is_of_bits, given)))


def note(run: Run, op: Application, tensor: Tensor, guard: Guard) -> None:
    """Remember what an op has put into a tensor."""
    name, storage = op.facts.layout.name, tensor.storage
    bits = all(_is_of_bits(value) for value in _put(op))
    whole = name in _FILLS and not tensor.view and implies(run.path, guard)
    storage.bits = bits and (whole or (storage.bits and name in _FILLS | _PUTS))


def settle(run: Run, op: Application, write: Write) -> None:
    """Leave out what a write spoils unseen, of what was saved since the same was done at this place before."""
    before = _before(run, write) if _does_it_once(op) else None
    if before is not None:
        write.since, write.covers = before.since, either(before.covers, write.guard)
        run.heap.hazards = [
            hazard
            for hazard in run.heap.hazards
            if hazard.write is not write
            or hazard.kind == "write"
            or hazard.saved.time < write.since
            or not implies(hazard.saved.guard, before.covers)
        ]


def _before(run: Run, write: Write) -> Write | None:
    """The last write of this memory, if it was made at the same place."""
    last = next((other for other in reversed(run.found.writes) if other.storage is write.storage), None)
    return last if last is not None and last.place.at is write.place.at and last.op == write.op else None


def _does_it_once(op: Application) -> bool:
    """Whether an op changes nothing where it was done before, with the same operands."""
    name = op.facts.layout.name
    if name == "mul_":
        return all(isinstance(value, Tensor) and _is_of_bits(value) for value in _put(op))
    return name in _ONCE and all(isinstance(value, Constant) for value in op.values[1:] if value is not None)


def _put(op: Application) -> list[Value]:
    return [
        value
        for param, value in zip(op.facts.params, op.values)
        if param.name in _VALUES and value is not None
    ]


def _is_of_bits(value: Value) -> bool:
    """Whether it is 0 or 1, or a tensor of these."""
    if isinstance(value, Tensor):
        return value.storage.bits or value.storage.dtype == "bool"
    return isinstance(value, Constant) and value.value in (0, 1)
