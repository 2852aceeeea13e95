"""Decides which writes put back what a tensor held before: `p.data.copy_(mean)`, …, `p.data.copy_(backup)`.

What was saved before the copy was made holds the same values in backward again. Only asked of writes that move no
version counter; others raise in backward whatever the values are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from .guards import implies
from .idempotent_writes import put
from .values import Tensor, flatten

if TYPE_CHECKING:
    from collections.abc import Collection

    from .application import Application
    from .heap import Write
    from .run import Run
    from .storage import Storage
    from .values import Value


def note(run: Run, op: Application, result: Value) -> None:
    """Remember of which tensor a clone holds the values, and since when; and that `x.detach()` is all of `x`."""
    first = op.values[0] if op.values else None
    if op.facts.detaches and _is_whole(first, run) and isinstance(result, Tensor):
        run.found.wholes.add(result)
    if op.facts.layout.name == "clone" and _is_whole(first, run) and isinstance(result, Tensor):
        run.found.copies[result.storage] = first.storage, run.heap.time


def settle(run: Run, op: Application, write: Write, written: Collection[Storage]) -> None:
    """Drop the hazards of a write that restores, and of those that it undoes, with what was saved before the copy.

    `written`: what the write changes, which is more than one storage where its own stands for all parameters.
    """
    target = op.values[0] if op.facts.layout.name == "copy_" else None
    if target is None or not all(_is_whole(one, run) for one in flatten(target)):
        return
    put_back = [atom for value in put(op) for atom in flatten(value)]
    copies = [run.found.copies.get(one.storage) if _is_whole(one, run) else None for one in put_back]
    if not copies or any(one is None or not _are_same(run, one[0], write.storage) for one in copies):
        return
    changed = {other.storage for other in run.found.writes}
    if any(isinstance(one, Tensor) and one.storage in changed for one in put_back):
        return
    since = min(one[1] for one in copies if one is not None)
    backwards = [root.time for root in run.heap.roots if root.time is not None]
    run.heap.hazards = [
        hazard
        for hazard in run.heap.hazards
        if hazard.kind == "write"
        or hazard.saved.storage not in written
        or not hazard.saved.time <= since < hazard.write.time
        or any(hazard.write.time < time < write.time for time in backwards)
        or not implies(hazard.guard, write.guard)
    ]


def _is_whole(value: Value | None, run: Run) -> TypeGuard[Tensor]:
    """Whether a value is a tensor, and no view of a part of one."""
    return isinstance(value, Tensor) and (not value.view or value in run.found.wholes)


def _are_same(run: Run, one: Storage, other: Storage) -> bool:
    """Whether two storages are one, or each stands for all parameters of the same networks: a dict has them by name."""
    first, second = run.several.stand_ins.get(one), run.several.stand_ins.get(other)
    if first is None or second is None:
        return one is other
    return [*map(id, first.owners)] == [*map(id, second.owners)]
