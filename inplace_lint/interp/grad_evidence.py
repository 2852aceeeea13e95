"""Collects evidence that a value needs no gradient, for the second look at a function with findings.

For example: a value used as an index is an integer, and the second argument of a loss is a target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import slices
from .storage import DOES
from .values import Phi, Sequence_, Tensor, Unknown

if TYPE_CHECKING:
    from .class_value import ClassValue
    from .external_modules import Forward
    from .guards import Guard
    from .run import Run
    from .storage import Storage
    from .values import Value


def of_one_kind(run: Run, joined: Phi) -> Value:
    """`if idx is None: idx = torch.arange(n)`: marks and returns an unknown value that is joined only with integers."""
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
    """Marks the targets of a loss: all arguments but the first, if the class derives from an `nn.…Loss`."""
    if any(base.startswith("torch.nn.") and base.endswith("Loss") for base in cls.external_bases()):
        for value in arguments[1:]:
            tensor = run.as_tensor(value)
            if tensor is not None:
                tensor.storage.no_evidence = True


def mark_data(run: Run, trained: list[tuple[Guard, Tensor]]) -> None:
    """Marks the root's arguments as data if the root runs a backward that also reaches other tensors, as a model's."""
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
    """Marks an index or a count, and what it was computed from: these are integers."""
    parts = index.parts if isinstance(index, slices.Slice) else [index]
    if isinstance(index, Sequence_):
        parts = run.elements(index)
    for part in parts:
        if isinstance(part, slices.Slice):
            mark_integers(run, part)
            continue
        _mark([tensor.storage for _, tensor in run.tensors(part)])


def mark_filled(run: Run) -> None:
    """Marks values stored into elements of integer tensors: these are integers."""
    for _ in run.found.filled:
        before = len(run.found.filled)
        for target, source in list(run.found.filled):
            if all(storage.no_evidence for storage in grounds([target])):
                run.found.filled.remove((target, source))
                _mark([source])
        if len(run.found.filled) == before:
            break


def mark_alone(run: Run) -> None:
    """Marks written values that no tensor went into: if one required grad, it would be a leaf, and the write raise.

    Parts of a callee, and of the results of calls, are left out: parameters may be behind them.
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
    """Whether a callee, or the object of a method, is known to be a module, or is given what may need a gradient."""
    from .external_modules import is_alone, known_weights

    whole = _whole(func)
    known = isinstance(whole, Unknown) and known_weights(run, whole) is not None
    return known or any(not is_alone(run, value) for forward in forwards for value in forward.values)


def is_item(value: Value | None) -> bool:
    """Whether a value is, or is a part of, an item of data as a loop takes it: without gradient, and from no call."""
    whole = None if value is None else _whole(value)
    return isinstance(whole, Unknown) and whole.alone and not whole.returned


def _whole(value: Value) -> Value:
    """The outermost value that this one is an attribute or element of."""
    while isinstance(value, Unknown) and value.owner is not None:
        value = value.owner
    return value


def _mark(storages: list[Storage]) -> None:
    for storage in grounds(storages):
        if storage.value is not None and not storage.value.of_module:
            storage.no_evidence = True


def _is_part(value: Value | None, of: set[Unknown]) -> bool:
    """Whether a value is one of these, or a part or element of one."""
    while isinstance(value, Unknown):
        if value in of:
            return True
        value = value.owner
    return False


def grounds(pending: list[Storage]) -> set[Storage]:
    """The storages at which the evidence that these require grad begins, such as inputs and parameters."""
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
