"""Collects evidence that a value needs no gradient, for the second look at a function with findings.

For example: a value used as an index is an integer, and the second argument of a loss is a target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import slices
from .storage import DOES
from .values import Phi, Sequence_, Tensor, Unknown

if TYPE_CHECKING:
    from .external_modules import Forward
    from .guards import Guard
    from .run import Run
    from .storage import Storage
    from .values import ClassValue, Value


def of_one_kind(run: Run, joined: Phi) -> Value:
    """That integers take its place where it is not given says that a value is of their kind: no evidence."""
    made = [atom.storage for _, atom in joined.alternatives if isinstance(atom, Tensor)]
    others = [atom for _, atom in joined.alternatives if not isinstance(atom, Tensor)]
    given = others[0] if len(others) == 1 else None
    if not isinstance(given, Unknown) or given.of_module:
        return joined
    if any(s.grad for s in made) or all(s.dtype not in ("int", "bool") for s in made):
        return joined
    tensor = run.as_tensor(given)
    if tensor is None:
        return joined
    tensor.storage.no_evidence = True
    return given


def mark_targets(run: Run, cls: ClassValue, arguments: list[Value]) -> None:
    """A loss of torch is given what is trained and what that is compared with: no evidence."""
    if any(base.startswith("torch.nn.") and base.endswith("Loss") for base in cls.external_bases()):
        for value in arguments[1:]:
            tensor = run.as_tensor(value)
            if tensor is not None:
                tensor.storage.no_evidence = True


def mark_data(run: Run, trained: list[tuple[Guard, Tensor]]) -> None:
    """A function that itself runs the backward of what hangs on a model is given data beside it: no evidence."""
    if len(run.entering.active) > 1:
        return
    given = {value for value in run.root.args.values() if isinstance(value, Unknown)}
    given |= {part for part in run.several.parts if _is_part(part, given)}
    reached = grounds([tensor.storage for _, tensor in trained])
    data = {value.tensor.storage for value in given if value.tensor is not None}
    data |= {storage for storage in reached if is_item(storage.value)}
    others = [s for s in reached - data if run.heap.record(s).grads]
    needed = any(sure == DOES for _, t in trained for _, sure in run.heap.record(t.storage).grads)
    if needed or any(s.is_tensor() or s.value is None or not s.value.is_given() for s in others):
        for storage in data:
            storage.no_evidence = True


def mark_integers(run: Run, index: Value) -> None:
    """What counts or picks elements is a number of them, and so is what it was computed from: no evidence."""
    parts = index.parts if isinstance(index, slices.Slice) else [index]
    if isinstance(index, Sequence_):
        parts = run.elements(index)
    for part in parts:
        if isinstance(part, slices.Slice):
            mark_integers(run, part)
            continue
        _mark([tensor.storage for _, tensor in run.tensors(part)])


def mark_filled(run: Run) -> None:
    """What is put into the elements of integers is an integer."""
    for _ in run.found.filled:
        before = len(run.found.filled)
        for target, source in list(run.found.filled):
            if all(storage.no_evidence for storage in grounds([target])):
                run.found.filled.remove((target, source))
                _mark([source])
        if len(run.found.filled) == before:
            break


def mark_alone(run: Run) -> None:
    """What no tensor went into is a leaf if it requires grad: changed in place, it would raise at once, so it does not.

    Neither what is part of the result of a method, which may have parameters behind it, nor of what is called.
    """
    alone = [
        (w.storage, w.storage.value) for w in run.found.writes if w.recorded and w.storage.value is not None
    ]
    alone = [(storage, value) for storage, value in alone if value.alone]
    if not alone:
        return
    called = {id(f.result) for forwards in run.handed.forwards.values() for f in forwards}
    called |= {
        id(_whole(func)) for func, forwards in run.handed.forwards.items() if _computes(run, func, forwards)
    }
    for storage, value in alone:
        if id(_whole(value)) not in called:
            storage.no_evidence = True


def _computes(run: Run, func: Unknown, forwards: list[Forward]) -> bool:
    """Whether a call, of it or of a method, is given tensors, or it is known to be a module's."""
    from .external_modules import is_alone, known_weights

    whole = _whole(func)
    known = isinstance(whole, Unknown) and known_weights(run, whole) is not None
    return known or any(not is_alone(run, value) for forward in forwards for value in forward.values)


def is_item(value: Value | None) -> bool:
    """Whether it is what a loop takes of something that nothing went into that may require grad, or part of it."""
    whole = None if value is None else _whole(value)
    return isinstance(whole, Unknown) and whole.alone and not whole.returned


def _whole(value: Value) -> Value:
    """What it is an attribute or element of, or part of one."""
    while isinstance(value, Unknown) and value.owner is not None:
        value = value.owner
    return value


def _mark(storages: list[Storage]) -> None:
    for storage in grounds(storages):
        if storage.value is not None and not storage.value.of_module:
            storage.no_evidence = True


def _is_part(value: Value | None, of: set[Unknown]) -> bool:
    """Whether it is one of these, or a part or element of one."""
    while isinstance(value, Unknown):
        if value in of:
            return True
        value = value.owner
    return False


def grounds(pending: list[Storage]) -> set[Storage]:
    """What the evidence that these require grad comes down to."""
    seen = set(pending)
    found: set[Storage] = set()
    while pending:
        storage = pending.pop()
        if not storage.evidence:
            found.add(storage)
        for source in storage.evidence:
            if source not in seen:
                seen.add(source)
                pending.append(source)
    return found
