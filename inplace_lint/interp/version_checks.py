"""Models code for which backward does not compare versions: saved-tensor hooks, preserved counters, checkpoints.

A checkpoint (`torch.utils.checkpoint`, measured in both its modes) saves its inputs and compares their versions. What
the ops inside save is recomputed in backward, from the values that tensors other than the inputs hold by then. Without
reentry, recomputation ends at the last save: writes before that have gone into what was saved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .grad_mode import Mode
from .graph import Node
from .guards import compatible
from .heap import Saved
from .storage import Storage, strongest
from .values import Constant, FunctionValue, OpValue, Tensor, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .frames import Place
    from .run import Run

#: Keyword arguments of `checkpoint` that are not passed to the function.
_OPTIONS = frozenset("use_reentrant preserve_rng_state context_fn determinism_check debug early_stop".split())


def hooks(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`saved_tensors_hooks(pack, unpack)`: saves without version checks if `pack` keeps the tensor, else copies."""
    mode = Mode()
    pack = args[0] if args else kwargs.get("pack_hook")
    probe = run.new_tensor("result", 0, at)
    kept: Value = Unknown()
    if isinstance(pack, (FunctionValue, OpValue)):
        outer = run.entering.deep
        if isinstance(pack, FunctionValue):
            run.entering.deep = run.entering.deep | {pack.source}
        kept = run.call(pack, [probe], {}, at)
        run.entering.deep = outer
    if [t.storage for _, t in run.tensors_within(kept)] == [probe.storage]:
        mode.unchecked = run.place(at)
    else:
        mode.unsaved = True  # a copy, or not known
    return mode


def copies(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`save_on_cpu`, `allow_mutation_on_saved_tensors`: writes do not change (or may not change) the saves."""
    mode = Mode()
    mode.unsaved = True
    return mode


def keeps_version(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`torch.autograd._unsafe_preserve_version_counter(tensors)`: writes in the block move no version counter."""
    mode = Mode()
    mode.preserved = frozenset(t.storage for value in args for _, t in run.tensors_within(value))
    return mode


def checkpoint(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`torch.utils.checkpoint.checkpoint(function, *inputs)`: save the inputs, and call the function in a region."""

    function = args[0] if args else kwargs.get("function", Unknown())
    rest = {name: value for name, value in kwargs.items() if name not in {*_OPTIONS, "function"}}
    flag = kwargs.get("use_reentrant")
    reentrant = bool(flag.value) if isinstance(flag, Constant) and flag.value is not None else None
    inputs = [found for value in args[1:] for found in run.tensors_within(value)]
    if run.grad not in ("on", "unknown"):
        return run.call(function, args[1:], rest, at)
    place = run.place(at)
    node = Node([])
    grads = strongest(g for guard, tensor in inputs for g in run.heap.gradients(tensor, guard))
    for guard, tensor in inputs:
        node.edges.extend(run.heap.nodes(tensor, guard))
        for need, evidence in grads:
            kept = Saved(tensor.storage, need, node, place)
            if not compatible(guard, need):
                continue
            kept.op, kept.node_name = "checkpoint", "CheckpointBackward"
            kept.grad, kept.counter = evidence, tensor.counter
            kept.certain = run.grad == "on"
            kept.sources = tuple(t.storage for _, t in inputs)
            run.save(kept)
    region = run.keeping.region = Region(run.program.last_uid, len(run.heap.hazards), run.keeping.region)
    result = run.call(function, args[1:], rest, at)
    _close(run, region, {tensor.storage for _, tensor in inputs}, place, reentrant)
    made = [(guard, tensor) for guard, tensor in run.tensors_within(result) if isinstance(tensor, Tensor)]
    for guard, tensor in made:
        # Backward of the results first checks the versions of the inputs, saved by `node`.
        for _, hung in run.heap.nodes(tensor, guard):
            if hung is not node and node not in (n for _, n in hung.edges):
                hung.edges.append((guard, node))
    run.heap.used = None
    return result


class Region:
    """The function call in a checkpoint: its saves, and the number of hazards before it."""

    __slots__ = ("hazards", "outer", "saves", "start")

    def __init__(self, start: int, hazards: int, outer: Region | None) -> None:
        self.start = start
        self.hazards = hazards
        self.outer = outer
        self.saves: list[Saved] = []


def _close(run: Run, region: Region, inputs: set[Storage], place: Place, reentrant: bool | None) -> None:
    """End a region: keep the hazards that recomputation leaves, and mark saves that backward makes again."""
    run.keeping.region = region.outer
    heap = run.heap
    inside = set(region.saves)
    before = heap.hazards[region.hazards :]
    del heap.hazards[region.hazards :]
    for hazard in before:
        if hazard.saved not in inside or reentrant:
            heap.hazards.append(hazard)
        elif reentrant is False and any(
            later.time >= hazard.write.time and compatible(later.guard, hazard.guard)
            for later in region.saves
        ):
            hazard.kind = "unchecked"
            hazard.saved.unchecked = place
            heap.hazards.append(hazard)
    for saved in region.saves:
        storage = saved.storage
        theirs = storage.uid <= region.start or storage.origin in ("parameter", "buffer", "unknown")
        if theirs and storage not in inputs:
            saved.unchecked, saved.again = place, True
        else:
            heap.record(storage).saves.remove(saved)
