"""Decides which calls that a run passed over matter, once it is known what memory the run writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interp.storage import DOES
from ..interp.values import Instance, Unknown
from .callers import holds

if TYPE_CHECKING:
    from ..interp.run import Run
    from ..interp.storage import Storage
    from ..interp.values import Value
    from ..syntax.module import FunctionSource


def worth_entering(run: Run) -> frozenset[FunctionSource]:
    """The functions whose calls were not entered although they got, or returned, memory that the run writes."""
    if not run.entering.skipped:
        return frozenset()
    written = {write.storage for write in run.found.writes}
    writes_parameters = run.steps.of_parameters or not written.isdisjoint(run.several.stand_ins)
    # A call that counts as saving all parameters shows no hazard here, so it would show none if it were entered.
    if writes_parameters and run.heap.confirm(run.weighed()):
        return frozenset(call.source for call in run.entering.skipped)
    owners: set[Value] = set()
    called = {one.result: func for func, forwards in run.handed.forwards.items() for one in forwards}
    for storage in written:
        value: Value | None = storage.value
        while isinstance(value, Unknown) and value not in owners:
            owners.add(value)
            value = called.get(
                value, value.owner
            )  # the method that returned it may have returned a part of its object
    owners |= _behind_hazards(run)
    return frozenset(
        call.source
        for call in run.entering.skipped
        if call.tensors & written
        or (writes_parameters and not call.saves)
        or call.result in owners
        or call.given & owners
        or any(isinstance(value, Instance) and holds(run, value, written) for value in call.given)
    )


def _behind_hazards(run: Run) -> set[Value]:
    """The unknown values that hazards depend on which are not certain to require grad."""
    found: set[Value] = set()
    seen: set[Storage] = set()
    for hazard in run.heap.hazards:
        pending = [hazard.saved.storage, *hazard.saved.sources] if hazard.saved.grad < DOES else []
        while pending:
            storage = pending.pop()
            if storage not in seen:
                seen.add(storage)
                pending += storage.evidence
                if storage.value is not None:
                    found.add(storage.value)
    return found
