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

#: Ops whose result is all 0s and 1s: whatever the operands are, or if the operands are.
_MAKES = frozenset("zeros ones zeros_like ones_like new_zeros new_ones eye".split())
_KEEPS = frozenset(
    "clone contiguous flip tril triu cat stack repeat to type_as float double half bfloat16".split()
)
#: Writes that set every element, or that keep a tensor of 0s and 1s so if the written values are.
FILLS = frozenset("fill_ zero_ copy_".split())
_PUTS = frozenset("setitem masked_fill_ index_fill_ mul_".split())
#: Idempotent writes: a second one with the same constants changes nothing.
_ONCE = frozenset("fill_ zero_ clamp_ clamp_min_ clamp_max_ relu_ abs_ sign_ round_".split())
#: The parameters of the op table that hold the written values.
_VALUES = frozenset("value src other source".split())


def changes_once(name: str) -> bool:
    """Whether an op that is given the same constants again, to its own result, gives that result: `clamp`, `clamp_`."""
    return name.rstrip("_") + "_" in _ONCE


def of_result(op: Application) -> bool:
    """Whether the result of an op is known to hold only 0s and 1s."""
    name = op.facts.layout.name
    given = [tensor for found in op.operands for _, tensor in found]
    return name in _MAKES or (name in _KEEPS and bool(given) and all(map(_is_of_bits, given)))


def note(run: Run, op: Application, tensor: Tensor, guard: Guard) -> None:
    """Record on the storage of a written tensor whether it still holds only 0s and 1s."""
    name, storage = op.facts.layout.name, tensor.storage
    bits = all(_is_of_bits(value) for value in put(op))
    whole = name in FILLS and not tensor.view and implies(run.path, guard)
    storage.bits = bits and (whole or (storage.bits and name in FILLS | _PUTS))


def settle(run: Run, op: Application, write: Write) -> None:
    """Drop the hazards of an idempotent write with saves that were made since its first execution at this place."""
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
    """The last write of the same storage, if the same op made it at the same place."""
    last = next((other for other in reversed(run.found.writes) if other.storage is write.storage), None)
    return last if last is not None and last.place.at is write.place.at and last.op == write.op else None


def _does_it_once(op: Application) -> bool:
    """Whether repeating a write with the same operands changes nothing."""
    name = op.facts.layout.name
    if name == "mul_":
        return all(isinstance(value, Tensor) and _is_of_bits(value) for value in put(op))
    return name in _ONCE and all(isinstance(value, Constant) for value in op.values[1:] if value is not None)


def put(op: Application) -> list[Value]:
    """The values that an op writes."""
    return [
        value
        for param, value in zip(op.facts.params, op.values)
        if param.name in _VALUES and value is not None
    ]


def _is_of_bits(value: Value) -> bool:
    """Whether a value is 0 or 1, or a tensor that holds only these."""
    if isinstance(value, Tensor):
        return value.storage.bits or value.storage.dtype == "bool"
    return isinstance(value, Constant) and value.value in (0, 1)
