"""What an in-place op writes: the storages, their graphs, and what raises at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from . import results, stale
from .guards import both, compatible, implies
from .incident import Incident
from .storage import DOES, Storage
from .values import Tensor, Unknown

if TYPE_CHECKING:
    from ..torchmodel.facts import Facts
    from .frames import Place
    from .graph import Node
    from .guards import Guard
    from .results import Operands
    from .run import Run


def incidents(
    run: Run,
    name: str,
    facts: Facts,
    operands: list[Operands],
    grads: list[tuple[Guard, int]],
    records: bool,
    place: Place,
) -> None:
    """What raises at once where it is written."""
    if facts.declared and not facts.counted:
        return  # autograd takes no notice of it
    for i in facts.writes:
        if i >= len(operands):
            continue
        for guard, tensor in operands[i]:
            storage = tensor.storage
            if facts.declared:
                run.passed[place.at, storage] = facts.argument(i)
                if facts.no_grad or not facts.counted:
                    run.unrecorded.add(place.at)
            parted = records and (tensor.multi or tensor.no_grad_view)  # which is refused before
            if tensor.expanded is not None and not facts.metadata_only and not parted:
                found = Incident("expanded", place, guard, name, storage, DOES, tensor.expanded)
                found.modeless = True
                run.incidents.append(found)
            if not records:
                continue
            own = run.heap.gradients(tensor, guard)
            evidence = max((e for g, e in own if compatible(g, run.path)), default=0)
            anything = max((e for g, e in [*own, *grads] if compatible(g, guard)), default=0)
            sources = results.with_gradients(run, operands, [i, *facts.gradients]) if anything else ()

            def incident(
                what: str,
                grad: int,
                cause: Place | None,
                guard: Guard = guard,
                storage: Storage = storage,
                sources: tuple[Storage, ...] = sources,
            ) -> None:
                seen = Incident(what, place, guard, name, storage, grad, cause)
                seen.sources = sources
                seen.doubtful = run.grad == "unknown"
                run.incidents.append(seen)

            if facts.params[i].is_out:
                if anything:
                    incident("out", anything, None)
                continue
            if tensor.counter is not None or _writes_inside(facts, i):
                continue
            if tensor.detached:
                if evidence and tensor.early:
                    incident("leaf", evidence, storage.made, storage=tensor.graph)
                    run.incidents[-1].early = True
                continue
            if evidence and storage.origin == "unknown" and _has_used_gradient(run, storage):
                incident("leaf", evidence, storage.made)
                run.incidents[-1].stepped = True
            elif tensor.multi is not None and anything:
                incident("multi-view", anything, tensor.multi)
            elif tensor.no_grad_view is not None and anything:
                incident("no-grad-view", anything, tensor.no_grad_view)
            elif evidence and (tensor.early or (storage.leaf and run.heap.is_leaf(storage, guard))):
                incident("leaf", evidence, storage.made)
                run.incidents[-1].early = tensor.early
                always = any(e >= evidence and implies(guard, g) for g, e in own)
                run.incidents[-1].sometimes = not always and not tensor.early
            elif (
                evidence and not facts.differentiable and facts.counted and _has_derivative(name.rstrip("_"))
            ):
                incident("no-derivative", evidence, None)
            elif facts.clones is not None:
                cloned = [
                    e
                    for c in facts.clones
                    for g, e in results.gradients_of(run, operands, None, c)
                    if compatible(g, guard)
                ]
                if max(cloned, default=0):
                    incident("no-gain", max(cloned), None)


def _has_used_gradient(run: Run, storage: Storage) -> bool:
    """Whether something was computed with the `grad` of what came in: then it is a leaf that requires grad."""
    for owner in (storage, storage.value):
        gradient = None if owner is None else run.state.get((owner, "member", "grad"))
        if isinstance(gradient, Unknown) and gradient.tensor is not None:
            storage.prove()
            return True
    return False


def _writes_inside(facts: Facts, i: int) -> bool:
    """Whether a function of nn.functional writes an operand that it does not return: under a no_grad of its own."""
    return facts.key.startswith("torch.nn.functional.") and all(ret.of != i for ret in facts.returns)


def _has_derivative(name: str) -> bool:
    """Whether the out-of-place method of this name is differentiable."""
    op = table.method(name)
    return op is not None and all(row.facts(row.params, False).differentiable for row in op.rows)


def write(
    run: Run,
    name: str,
    facts: Facts,
    operands: list[Operands],
    grads: list[tuple[Guard, int]],
    node: Node,
    place: Place,
    records: bool,
) -> None:
    """Every operand that the op writes has another version, and its graph another end where gradients are recorded."""
    for i in facts.writes:
        if i >= len(operands):
            continue
        for guard, tensor in operands[i]:
            storage = tensor.storage
            if facts.declared:
                run.passed[place.at, storage] = facts.argument(i)
                if facts.no_grad or not facts.counted:
                    run.unrecorded.add(place.at)
            quiet = "" if storage not in run.preserved else "unchecked"
            if not facts.counted:
                # Statistics, unlike `apply_`, are written beside what the op is called for.
                plain = facts.declared or any(ret.of == i for ret in facts.returns)
                quiet = "data" if plain else "unchecked"
            write = run.heap.write(storage, guard, name, place, counter=tensor.counter, quiet=quiet)
            write.initial, write.looped = facts.no_grad, run.inexact > 0
            write.recorded = records and run.grad == "on" and tensor.counter is None and not tensor.detached
            if run.program.sketches.notes:
                stale.hidden(run, tensor, write)
            if storage in run.stand_ins:
                _write_each(run, tensor, guard, name, place, quiet)
            if not facts.metadata_only:
                write.through = tensor
                run.written.add(tensor)
            run.writes.append(write)
            if write.counted and not (records and (tensor.multi or tensor.no_grad_view)):
                run.heap.base_written(storage, guard)
            if not grads or facts.params[i].is_out or not facts.counted:
                continue
            if storage.dtype in ("bool", "int"):
                continue
            written = [(both(guard, g), e) for g, e in grads if compatible(guard, g)]
            if written:
                tensor.graph.moved = tensor.graph.moved and results.all_moved(run, facts, operands)
                graph = tensor.graph
                # What required grad by itself before the write is not in need of other evidence.
                itself = not graph.evidence and bool(run.heap.gradients(tensor, guard))
                others = [s for s in results.contributors(run, facts, operands) if s is not graph]
                run.heap.results_in(graph, guard, node, written)
                if graph.origin != "unknown" and not itself:
                    graph.evidence += tuple(others)
                outlives = storage.origin in ("argument", "buffer") and storage not in run.own_buffers
                if outlives and not storage.leaf and graph is storage:
                    run.heap.escape([(guard, tensor)], guard)


def _write_each(run: Run, tensor: Tensor, guard: Guard, name: str, place: Place, quiet: str) -> None:
    """What stands for any parameter of some modules is written: then each of them may be."""
    from .methods import weights_of

    for owner in run.stand_ins[tensor.storage].owners:
        for weights in weights_of(run, owner):
            if weights.storage is not tensor.storage:
                run.heap.write(weights.storage, guard, name, place, counter=tensor.counter, quiet=quiet)
