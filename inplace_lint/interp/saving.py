"""Records what an op saves for backward: its operands, its results and the weights of a module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.facts import WEIGHT
from . import axes, batches, results
from .guards import both, compatible
from .heap import Saved
from .storage import strongest

if TYPE_CHECKING:
    from ..torchmodel.facts import Save
    from .application import Application, Operands
    from .guards import Guard
    from .run import Run
    from .storage import Storage
from .values import Tensor


def of_operands(run: Run, op: Application) -> None:
    """Record the saves of operands."""
    for save in op.facts.saves:
        if save.target >= 0 and save.target != WEIGHT:
            _save(run, op, save, op.operands[save.target] if save.target < len(op.operands) else [])


def of_results(run: Run, op: Application, made: list[Operands]) -> None:
    """Record the saves of results, and of the weights of a module."""
    weights = op.weights
    for save in op.facts.saves:
        number = -1 - save.target
        if save.target == WEIGHT and weights is not None:
            _save(run, op, save, [(run.path, weights)])
        elif 0 <= number < len(made):
            _save(run, op, save, made[number])
    if weights is not None:
        _save_weights(run, op, weights)


def _save(run: Run, op: Application, save: Save, targets: Operands) -> None:
    """Record one save of the op table for each guarded tensor that its target may be."""
    layout = op.facts.layout
    needs: list[tuple[Guard, int]] = []
    sources: list[Storage] = []
    moved = layout.moves_elements
    # A view made under no_grad requires grad if its base does, but no gradient flows to it.
    flows = set(save.needs) < set(op.facts.gradients)
    # Gradients of operands are those before the op: an in-place op may make its operand require grad.
    for i in save.needs:
        needs.extend(op.gradients_of(run, i, flows))
        if i != WEIGHT:
            found = op.operands[i]
            sources += [t.storage for g, t in found if len(found) == 1 or run.heap.gradients(t, g)]
            moved = moved and all(t.graph.moved for _, t in found)
    needs = strongest(needs)
    for guard, tensor in targets:
        for need, evidence in needs:
            condition = both(guard, need)
            if not condition:
                continue
            saved = Saved(tensor.storage, condition, op.node, op.place)
            saved.op, saved.node_name, saved.attr = op.name, save.node, save.attr
            saved.result, saved.moved, saved.ran = save.target < 0, moved, guard
            saved.grad = evidence
            saved.certain = run.grad == "on" and _is_certain(op, save, tensor)
            saved.only = save.only
            saved.autocast = run.keeping.autocast
            saved.sources = tuple(sources)
            if save.target not in op.settled:
                saved.unproved = tuple(s for g, s in op.unproved if compatible(g, condition))
            saved.counter, saved.taken = tensor.counter, tensor.taken
            saved.view = tensor.view or not layout.keeps_itself(save.node)
            saved.read = op.facts.counted or save.target not in op.facts.writes
            saved.read = saved.read and table.reads(save.node, save.attr)
            run.save(saved)


def _is_certain(op: Application, save: Save, tensor: Tensor) -> bool:
    """Whether the op surely saves the tensor itself, and not a copy that depends on its layout."""
    layout = op.facts.layout
    if save.certainty != "always" and not (layout.repeats_batches and axes.keeps_both(op.operands[:2])):
        return False
    given = [results.plain(value) for value in op.values]
    if layout.copies_contiguous(given, save.target - 1):
        return False
    shapes = [axes.shape_of(found) for found in op.operands[:2]]
    apart = tensor.rows_apart and layout.merges_rows(given, save.target - 1)
    apart = apart and not batches.are_multiplied(op.facts, shapes)
    strided = tensor.strided or apart or tensor.expanded is not None
    if layout.copies_matrices:
        return not strided and (tensor.contiguous or not tensor.view)
    merged = batches.saves_as_it_is(op.facts, tensor, shapes)
    if merged is not None and save.target >= 0:
        return merged
    # A fused kernel takes any layout, and saves its operand as it is.
    if save.target < 0 or not strided or save.only or axes.is_matrix(tensor):
        return True
    return not layout.copies_strided(given) or axes.one_batch_axis(op.facts, op.operands)


def _save_weights(run: Run, op: Application, weights: Tensor) -> None:
    """Record the save of the weights by an op that saves its input: each is needed for the gradient of the other."""
    layout = op.facts.layout
    if layout.copies_weights:
        return
    for save in op.facts.saves:
        if WEIGHT not in save.needs or not 0 <= save.target < len(op.operands):
            continue
        if save.target not in op.facts.gradients:
            continue  # the indices of an embedding, which have no gradient
        needs = op.gradients_of(run, save.target)
        if save.target in save.needs:  # this op saves both, whichever gradient is needed
            needs = [*needs, *run.heap.gradients(weights, run.path)]
        for guard, evidence in strongest(needs):
            saved = Saved(weights.storage, both(run.path, guard), op.node, op.place)
            saved.op, saved.node_name, saved.attr = op.name, save.node, "weight"
            saved.view = not layout.keeps_itself(save.node)
            saved.grad = evidence
            saved.certain = run.grad == "on"
            saved.autocast = run.keeping.autocast
            saved.sources = tuple(t.storage for _, t in op.operands[save.target])
            run.save(saved)
