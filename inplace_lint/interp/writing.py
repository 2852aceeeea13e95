"""Applies the in-place writes of an op: new versions, the new end of the graph, and the errors of PyTorch there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import outofplace, table
from . import contents, idempotent_writes, restored, stale_reads
from .event import Event
from .guards import both, compatible, implies
from .storage import DOES
from .values import Tensor, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..torchmodel.facts import Facts
    from .application import Application
    from .frames import Place
    from .guards import Guard
    from .run import Run
    from .storage import Storage


def events(run: Run, op: Application) -> None:
    """Report the writes of an op that raise at once."""
    facts, place = op.facts, op.place
    if facts.declared and not facts.counted:
        return  # autograd does not see the write
    for i in facts.writes:
        for guard, tensor in op.operands[i] if i < len(op.operands) else ():
            if facts.declared:
                _note_declared(run, op, i, tensor)
            parted = op.records and (tensor.multi or tensor.no_grad_view)  # another error is first
            harmless = facts.metadata_only or outofplace.fills(facts.key)
            if tensor.expanded is not None and not harmless and not parted:
                found = Event("expanded", place, guard, op.name, tensor.storage, DOES, tensor.expanded.place)
                found.modeless = True
                found.by_argument = not tensor.expanded.surely and found.is_by_another_call()
                run.found.events.append(found)
            if op.records:
                refused = _refused(run, op, i, guard, tensor)
                if refused is not None:
                    refused.doubtful = run.grad == "unknown"
                    run.found.events.append(refused)


def _note_declared(run: Run, op: Application, i: int, tensor: Tensor) -> None:
    """Note that a function is called which is declared to write this argument."""
    run.declared.passed[op.place.at, tensor.storage] = op.facts.argument(i)
    if op.facts.no_grad or not op.facts.counted:
        run.declared.unrecorded.add(op.place.at)


def _refused(run: Run, op: Application, i: int, guard: Guard, tensor: Tensor) -> Event | None:
    """The error that autograd raises at this write, or the note that it gains nothing; None if there is neither."""
    facts, storage = op.facts, tensor.storage
    own = run.heap.gradients(tensor, guard)
    evidence = max((e for g, e in own if compatible(g, run.path)), default=0)
    anything = max((e for g, e in [*own, *op.grads] if compatible(g, guard)), default=0)

    def event(kind: str, grad: int, cause: Place | None) -> Event:
        seen = Event(kind, op.place, guard, op.name, storage, grad, cause)
        seen.sources = op.with_gradients(run, [i, *facts.gradients]) if anything else ()
        return seen

    if facts.params[i].is_out:
        found = event("out", anything, None)
        found.sources = op.with_gradients(run, [j for j in facts.gradients if j != i]) or found.sources
        return found if anything else None
    if tensor.counter is not None or _writes_inside(facts, i):
        return None
    if tensor.detached:
        if not evidence or not (
            tensor.early or (tensor.graph.leaf and run.heap.is_leaf(tensor.graph, guard))
        ):
            return None
        found = event("leaf", evidence, storage.made)
        found.storage = tensor.graph
        found.early = True
        return found
    if evidence and storage.origin == "unknown" and _has_used_gradient(run, storage):
        found = event("leaf", evidence, storage.made)
        found.stepped = True
        return found
    if anything and tensor.multi is not None:
        return event("multi-view", anything, tensor.multi)
    if anything and tensor.no_grad_view is not None:
        return event("no-grad-view", anything, tensor.no_grad_view)
    if evidence and (tensor.early or (storage.leaf and run.heap.is_leaf(storage, guard))):
        found = event("leaf", evidence, storage.made)
        found.early = tensor.early
        always = any(e >= evidence and implies(guard, g) for g, e in own)
        found.sometimes = not always and not tensor.early
        return found
    if evidence and not facts.differentiable and facts.counted and _has_derivative(op.name.rstrip("_")):
        return event("no-derivative", evidence, None)
    cloned = [e for c in facts.clones or () for g, e in op.gradients_of(run, c) if compatible(g, guard)]
    return event("no-gain", max(cloned), None) if max(cloned, default=0) else None


def _has_used_gradient(run: Run, storage: Storage) -> bool:
    """Whether the code used `x.grad` of an input as a tensor: then x is a leaf that requires grad."""
    for owner in (storage, storage.value):
        gradient = None if owner is None else run.state.get((owner, "member", "grad"))
        if isinstance(gradient, Unknown) and gradient.tensor is not None:
            storage.prove()
            return True
    return False


def _writes_inside(facts: Facts, i: int) -> bool:
    """Whether a function of nn.functional writes an operand that it does not return, which it does under no_grad."""
    return facts.key.startswith("torch.nn.functional.") and all(ret.of != i for ret in facts.returns)


def _has_derivative(name: str) -> bool:
    """Whether the out-of-place method of this name is differentiable."""
    op = table.method(name)
    return op is not None and all(row.facts(row.params, False).differentiable for row in op.rows)


def write(run: Run, op: Application) -> None:
    """Record the writes of an op in the heap; with gradients, its node becomes the end of the operand's graph."""
    facts, name, records = op.facts, op.name, op.records
    for i in facts.writes:
        for guard, tensor in op.operands[i] if i < len(op.operands) else ():
            storage = tensor.storage
            if facts.declared:
                _note_declared(run, op, i, tensor)
            quiet = "" if storage not in run.keeping.preserved else "unchecked"
            if not facts.counted:
                # Running statistics are written beside the result; `apply_` returns what it writes.
                plain = facts.declared or any(ret.of == i for ret in facts.returns)
                quiet = "data" if plain else "unchecked"
            write = run.heap.write(storage, guard, name, op.place, counter=tensor.counter, quiet=quiet)
            write.initial, write.looped = facts.no_grad, run.inexact > 0
            write.in_loop = bool(run.loops)
            write.recorded = records and run.grad == "on" and tensor.counter is None and not tensor.detached
            if run.program.prefilter.notes:
                stale_reads.hidden(run, tensor, write)
            if not write.counted:
                idempotent_writes.settle(run, op, write)
            idempotent_writes.note(run, op, tensor, guard)
            contents.note_write(run, op, tensor, guard)
            changed = {storage}
            if storage in run.several.stand_ins:
                changed.update(_write_each(run, tensor, guard, name, op.place, quiet))
            elif storage.leaf and run.several.stand_ins:
                _write_what_stands_for(run, tensor, guard, name, op.place, quiet)
            if not write.counted:
                restored.settle(run, op, write, changed)
            if not facts.metadata_only:
                write.through = tensor
                run.found.written.add(tensor)
            run.found.writes.append(write)
            if write.counted and not (records and (tensor.multi or tensor.no_grad_view)):
                run.heap.base_written(storage, guard)
            if not op.grads or facts.params[i].is_out or not facts.counted:
                continue
            if storage.dtype in ("bool", "int"):
                continue
            written = [(both(guard, g), e) for g, e in op.grads if compatible(guard, g)]
            if written:
                tensor.graph.moved = tensor.graph.moved and op.all_moved(run)
                graph = tensor.graph
                # A tensor that required grad by itself before needs no other evidence.
                itself = not graph.evidence and bool(run.heap.gradients(tensor, guard))
                others = [s for s in op.contributors(run) if s is not graph]
                run.heap.results_in(graph, guard, op.node, written)
                if graph.origin != "unknown" and not itself:
                    graph.rest_on(others)
                outlives = storage.origin in ("argument", "buffer") and storage not in run.made.buffers
                if outlives and not storage.leaf and graph is storage:
                    run.heap.escape([(guard, tensor)], guard)


def _write_what_stands_for(
    run: Run, tensor: Tensor, guard: Guard, name: str, place: Place, quiet: str
) -> None:
    """Record a write of what stands for any of several parameters, one of which is written."""
    from .weights import standing_for

    for storage in standing_for(run, {tensor.storage}):
        run.heap.write(storage, guard, name, place, counter=tensor.counter, quiet=quiet)


def _write_each(
    run: Run, tensor: Tensor, guard: Guard, name: str, place: Place, quiet: str
) -> Iterator[Storage]:
    """Record a write of each parameter that a written tensor stands for, and yield its storage."""
    from .weights import weights_of

    for owner in run.several.stand_ins[tensor.storage].owners:
        for weights in weights_of(run, owner):
            if weights.storage is not tensor.storage:
                run.heap.write(weights.storage, guard, name, place, counter=tensor.counter, quiet=quiet)
                yield weights.storage
