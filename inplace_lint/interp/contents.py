"""Tells which number a flag kept in a tensor holds: `if self.done == 0: …; self.done.fill_(1)` runs once.

What a buffer holds when a run begins is not known, but it is one value until it is written. A constant that fills it
decides the tests that come after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .guards import implies
from .idempotent_writes import FILLS, put
from .joins import join
from .values import Constant, Phi, Scalar, Sequence_, Tensor

if TYPE_CHECKING:
    from .application import Application
    from .guards import Guard
    from .run import Run
    from .storage import Storage
    from .values import Value

#: The key, with a storage, of what all its elements hold.
_VALUE = "<value>"
#: Ops that keep the numbers. What `any` or `sum` makes of many elements is no number of theirs.
_KEEPS = frozenset("clone detach bool int long float double byte to cpu cuda squeeze".split())


def of(run: Run, value: Value) -> Value | None:
    """What a tensor is known to hold in all elements, or a number that stands for that; None for most tensors."""
    if isinstance(value, Phi) and isinstance(value.alternatives[0][1], Tensor):
        each = [(guard, of(run, atom)) for guard, atom in value.alternatives]
        found = [(guard, held) for guard, held in each if held is not None]
        return join(found) if len(found) == len(each) else None
    if not isinstance(value, Tensor):
        return None
    storage = value.storage
    if storage in run.handed.given:
        return None  # unknown code may have written it
    known = run.state.get((storage, _VALUE))
    if known is not None or not _lasts(storage):
        return known
    number = run.scalar(("number in", storage))
    run.bottom().slots[(storage, _VALUE)] = number
    return number


def _lasts(storage: Storage) -> bool:
    """Whether a storage was there before the run: what it was made with says nothing of what it holds by now."""
    return storage.standing or storage.origin in ("buffer", "parameter")


def note_result(run: Run, op: Application, result: Value) -> None:
    """Notes what a new tensor holds, as made by an op."""
    if not isinstance(result, Tensor) or not op.values:
        return
    name, first = op.facts.layout.name, op.values[0]
    if name == "tensor":
        note_literal(run, result, first)
    elif name in _KEEPS and isinstance(first, Tensor) and first.storage is not result.storage:
        held = of(run, first)
        if held is not None:
            note_made(run, result, held)


def _literal(run: Run, value: Value | None) -> Value | None:
    """The number that `torch.tensor(1)` or `torch.tensor([1])` holds."""
    if isinstance(value, Sequence_):
        elements = run.elements(value)
        value = elements[0] if len(elements) == 1 else None
    return value if isinstance(value, Constant) else None


def note_literal(run: Run, made: Tensor, value: Value | None) -> None:
    """Notes what a new tensor holds that is made of this number, or list of one number."""
    held = _literal(run, value)
    if held is not None:
        note_made(run, made, held)


def note_made(run: Run, made: Tensor, held: Value) -> None:
    """Notes what a new tensor holds; by the time that a method runs, one of a constructor may hold something else."""
    if not run.builds:
        run.bottom().slots[(made.storage, _VALUE)] = held


def note_write(run: Run, op: Application, tensor: Tensor, guard: Guard) -> None:
    """Notes what a tensor holds after a write, other than one of a constructor."""
    if run.builds:
        return
    key = (tensor.storage, _VALUE)
    whole = not tensor.view or tensor.counter is not None
    held = _put(run, op) if whole and implies(run.path, guard) else None
    if held is not None:
        run.state.slots[key] = held
    elif run.state.get(key) is not None:
        run.state.slots[key] = Scalar()


def _put(run: Run, op: Application) -> Value | None:
    """The value that a write puts into all elements."""
    name = op.facts.layout.name
    if name not in FILLS and name != "add_":
        return None
    values = put(op) or [Constant(0)]  # `zero_` has no argument for it
    held = values[0] if isinstance(values[0], Constant) else of(run, values[0])
    return _sum(run, op.values[0], held) if name == "add_" else held


def _sum(run: Run, first: Value | None, second: Value | None) -> Value | None:
    """The sum of what a tensor holds and a number, where a test on this path has told that it is 0."""
    held = None if first is None else of(run, first)
    for _, one in [] if held is None else run.live(held):
        if isinstance(one, Scalar):
            key = run.identity(one)
            is_zero = run.is_told(("==", key, run.identity(Constant(0))), True, run.path)
            if not is_zero and not run.is_told(("true", key), False, run.path):
                return None
        elif not (isinstance(one, Constant) and one.value == 0):
            return None
    return None if held is None else second
