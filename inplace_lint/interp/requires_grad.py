"""Models `tensor.requires_grad`: a read becomes a test of the path, an assignment makes or freezes a leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .graph import Node
from .guards import ALWAYS, implies
from .storage import DOES, NEVER, Storage
from .values import Constant, Tensor, Value
from .weights import weights_of

if TYPE_CHECKING:
    from .run import Run


def get(run: Run, tensor: Tensor) -> Value:
    """`tensor.requires_grad`: known, or a test whose literal the tensor's saves depend on."""
    storage = tensor.graph
    run.asked.times += 1
    if tensor.storage.dtype in ("bool", "int"):
        return Constant(False)
    record = run.heap.record(storage)
    if record.bit is None:
        if any(evidence == DOES and implies(run.path, guard) for guard, evidence in record.grads):
            return Constant(True)
        if not record.grads:
            return Constant(False)
        record.bit = run.bit(("requires_grad", storage))
        run.asked.requires[record.bit] = storage
    return run.test_of_bit(record.bit)


def assign(run: Run, tensor: Tensor, value: Value) -> None:
    """`requires_grad_(flag)`, `tensor.requires_grad = flag`."""
    if tensor.storage in run.several.stand_ins:  # any parameter of some modules: then each of them
        for weights in weights_of(run, run.several.stand_ins[tensor.storage]):
            if weights.storage is not tensor.storage:
                assign(run, weights, value)
    frozen = isinstance(value, Constant) and not value.value
    if not frozen and tensor.view and tensor.graph is tensor.storage:
        _part_from_base(run, tensor)
    storage: Storage = tensor.graph
    if frozen:
        run.heap.forget_gradients(storage, run.path)
        if run.path == ALWAYS and storage.leaf:
            storage.grad = NEVER  # a module frozen in `__init__` stays so in later runs
        return
    evidence = DOES if isinstance(value, Constant) else 1
    # Nobody asks this of what requires grad already: it is a leaf unless that is known.
    known = any(grad == DOES for _, grad in run.heap.record(storage).grads)
    if not known and storage.origin in ("factory", "result", "buffer", "detached"):
        storage.become_leaf()
        run.heap.forget_gradients(storage, run.path)
    run.heap.add_gradients(storage, [(run.path, evidence)])
    if not run.heap.record(storage).nodes:
        run.heap.record(storage).nodes.append((run.path, Node([])))


def _part_from_base(run: Run, view: Tensor) -> None:
    """A view that is made to require grad where its base does not: it alone is a leaf, and the base may be written."""
    if not run.heap.record(view.storage).grads:
        view.detached, view.early = True, False
        view.graph = Storage(run.uid(), "detached", NEVER, view.storage.made)
