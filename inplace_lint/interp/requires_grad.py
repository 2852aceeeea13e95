"""Models `tensor.requires_grad`: a read becomes a test of the path, an assignment makes or freezes a leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import guards
from .graph import Node
from .guards import ALWAYS, both, either, implies, literal
from .storage import DOES, NEVER, Storage
from .values import Constant, Tensor, Value
from .weights import weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .guards import Guard
    from .run import Run


def get(run: Run, tensor: Tensor) -> Value:
    """`tensor.requires_grad`: a constant, or a test whose literal tells on which paths gradients are recorded."""
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


def flowing(run: Run, nodes: Sequence[Node]) -> Guard:
    """The paths on which autograd makes one of these nodes: all, unless each way on leads to a tensor that was asked.

    In the else-branch of `if x.requires_grad:` nothing is recorded of what is computed from x alone.
    """
    asked = {
        node: literal(bit, True)
        for bit, storage in run.asked.requires.items()
        for _, node in run.heap.record(storage).nodes
    }
    if not asked or not nodes:
        return ALWAYS
    found, pending, seen = guards.NEVER, [*nodes], {*nodes}
    while pending:
        one = pending.pop()
        if one in asked:
            found = either(found, asked[one])
        elif one.opaque or not one.edges:
            return ALWAYS
        else:
            new = {source for _, source in one.edges} - seen
            seen |= new
            pending += new
    return found


def assign(run: Run, tensor: Tensor, value: Value) -> None:
    """`tensor.requires_grad_(flag)` and `tensor.requires_grad = flag`: freeze the tensor, or make it a leaf."""
    if tensor.storage in run.several.stand_ins:  # stands for any parameter of some modules: set each of them
        for weights in weights_of(run, run.several.stand_ins[tensor.storage]):
            if weights.storage is not tensor.storage:
                assign(run, weights, value)
    frozen = isinstance(value, Constant) and not value.value
    container = run.several.drawn_from.pop(tensor.storage.value or tensor, None) if frozen else None
    while container is not None:
        # It stands for any element of a container; code that goes over the elements freezes them all.
        for _, element in run.tensors_within(container):
            assign(run, element, value)
        container = run.several.drawn_from.pop(container, None)
    if not frozen and tensor.view and tensor.graph is tensor.storage:
        _part_from_base(run, tensor)
    storage: Storage = tensor.graph
    if frozen:
        run.heap.forget_gradients(storage, run.path)
        if storage.leaf:
            run.made.frozen.append(storage)
        return
    evidence = DOES if isinstance(value, Constant) else 1
    # A tensor not known to require grad is a leaf from here on: on others the call would be pointless.
    known = any(grad == DOES for _, grad in run.heap.record(storage).grads)
    if not known and storage.origin in ("factory", "result", "buffer", "detached"):
        storage.become_leaf()
        run.heap.forget_gradients(storage, run.path)
        if run.builds and run.path == ALWAYS:
            storage.grad = evidence  # what a constructor makes a leaf is one in later runs
    run.heap.add_gradients(storage, [(run.path, evidence)])
    if not run.heap.record(storage).nodes:
        run.heap.record(storage).nodes.append((run.path, Node([], asked=storage.asked)))


def keep_frozen(run: Run, outer: Sequence[Storage]) -> None:
    """At the end of a constructor: what it froze is frozen for good, `outer` is what those around it froze.

    On the paths where it raised there is no object. What an object that all runs share froze stays so in later runs.
    """
    for storage in run.made.frozen if run.path else ():
        record = run.heap.record(storage)
        record.grads = [(met, evidence) for guard, evidence in record.grads if (met := both(guard, run.path))]
        if run.builds:
            storage.first_grads = [*record.grads]
    run.made.frozen = [*outer, *run.made.frozen]


def _part_from_base(run: Run, view: Tensor) -> None:
    """Give a view a graph of its own if its base needs no gradient: the view is a leaf, the base may be written."""
    if not run.heap.record(view.storage).grads:
        view.detached, view.early = True, False
        view.graph = Storage(run.uid(), "detached", NEVER, view.storage.made)
