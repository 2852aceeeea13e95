"""Models optimizers of unknown class, such as the arguments in `def train(model, optimizer)`.

A value counts as an optimizer once `zero_grad` is called on it. Its `step` may write any parameter that a backward has
reached since the last step, except those of known optimizers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .external_modules import known_weights
from .graph import parts_of_losses, reach
from .guards import ALWAYS
from .values import Constant, Native, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from .external_modules import Forward
    from .graph import Node, Root
    from .heap import Hazard
    from .run import Run
    from .storage import Storage

#: A key in the state of an unknown value that no attribute can have.
_ZEROED = "zero_grad()"


def zero_grad(run: Run, obj: Unknown) -> Value:
    """Models `obj.zero_grad`, which tells an unknown optimizer from other objects with a `step`.

    What is zeroed in a loop over optimizers is stepped in another loop over them. Its step may have come first.
    """
    for one in (obj, obj.owner):
        if isinstance(one, Unknown) and (one is obj or _is_of_a_round(run, obj)):
            run.bottom().slots[(one, "member", _ZEROED)] = Constant(True)
            run.steps.last = max(run.steps.last, run.steps.stepped.pop(one, -1))
    return Native(lambda *_: Constant(None))


def step(run: Run, given: Sequence[Value], at: ast.AST) -> None:
    """Models `step` of an unknown optimizer: it writes some of the leaves that backwards reached since the last step.

    Which of them is not known, unless their gradients were clipped: the step is a hazard only if later backwards need
    the old value of each of them.
    """
    told = [value for value in given if is_zeroed(run, value)]
    heap = run.heap
    if not told:
        run.steps.stepped.update(dict.fromkeys(given, heap.time))
        return
    since = [root for root in heap.roots if root.time is not None and root.time > run.steps.last]
    passed = Passed(run, since)
    reached = passed.reached
    run.steps.last = heap.time
    run.steps.of_parameters = True
    for optimizer, held in run.steps.held.items():
        shared: dict[Passed, set[Node]] = {}
        for hazard, earlier in held:
            # Now a backward goes through a tensor that one before the step went through, or it steps the same again.
            if earlier not in shared:
                shared[earlier] = passed.behind_both(earlier)
            same = optimizer is told[0] and hazard.saved.node in reached
            hazard.held = hazard.held and not same and hazard.saved.node not in shared[earlier]
    leaves = {node for node in reached if not node.edges}
    trainable = _trainable(run, leaves, _of_criteria(run, since, reached))
    groups: list[list[Hazard]] = []
    place = run.place(at)
    clipped, run.steps.clipped = run.steps.clipped, set()
    for storage in trainable:
        if storage in clipped:
            heap.write(storage, run.path, "step", place, "step")
    for storage in trainable if clipped.isdisjoint(trainable) else ():
        before = len(heap.hazards)
        heap.write(storage, run.path, "step", place, "step")
        groups.append(heap.hazards[before:])
    for hazards in groups:
        for hazard in hazards:
            hazard.together = groups
            # Two backwards may run different parts of one forward, each before a step: it is a hazard only once a
            # backward reaches the saving node again.
            hazard.held = hazard.saved.node in reached
            if hazard.held:
                run.steps.held.setdefault(told[0], []).append((hazard, passed))


def is_zeroed(run: Run, value: Value) -> bool:
    """Whether `zero_grad` was called on a value, or on another item of what a loop took it from."""
    whole = value.owner if isinstance(value, Unknown) and _is_of_a_round(run, value) else None
    return any(
        run.state.get((one, "member", _ZEROED)) is not None for one in (value, whole) if one is not None
    )


class Passed:
    """What the backwards between two steps went through."""

    def __init__(self, run: Run, roots: Sequence[Root]) -> None:
        self.reached = {node for root in roots for node in root.reach()}
        #: the nodes of what is surely one tensor, of which no part alone can be needed
        self.tensors = _of_one_tensor(run, roots, self.reached)
        #: what an unknown callee was given, which may be a tuple; it uses the same part of that at each of its calls
        self.uses: set[tuple[Value, Storage, Node]] = set()
        for func, forwards in run.handed.forwards.items():
            for forward in forwards:
                if not self.reached.isdisjoint(_nodes_of(run, forward)):
                    for guard, tensor in forward.result.nodes:
                        nodes = run.heap.nodes(tensor, guard)
                        self.uses.update((func, tensor.storage, node) for _, node in nodes)

    def behind_both(self, other: Passed) -> set[Node]:
        """The nodes behind what these backwards and others went through as a whole."""
        both = (self.tensors & other.reached) | (other.tensors & self.reached)
        both.update(node for *_, node in self.uses & other.uses)
        return {*reach([(ALWAYS, node) for node in both])}


def _of_one_tensor(run: Run, roots: Sequence[Root], reached: set[Node]) -> set[Node]:
    """The nodes, of those that backwards from `roots` reached, that surely belong to one tensor.

    What unknown code returned is one if it is a root, or ops took it for a tensor: two backwards may go through
    different parts of a tuple, and so through different parts of the model that returned it.
    """
    storages = run.heap.by_node()
    unknown = {node for node, held in storages.items() if any(s.value is not None for s in held)}
    whole = {node for node in unknown if len(storages[node]) == 1 and not storages[node][0].indexed}
    taken = {node for root in roots for _, node in root.nodes}
    taken.update(source for node in reached - unknown for _, source in node.edges)
    return (reached - unknown) | (taken & whole)


def _trainable(run: Run, nodes: set[Node], losses: set[Storage]) -> list[Storage]:
    """The storages of those leaves that an unknown optimizer may step.

    Those are all that are not plainly data, nor of a loss, nor stepped by a known optimizer: each parameter has one.
    """
    handed_on = {
        value
        for forwards in run.handed.forwards.values()
        for forward in forwards
        if len(forward.values) > 1  # one of them may be a module, as in `loss_of(model, x)`
        for value in forward.values
    }
    storages = (storage for node, held in run.heap.by_node().items() if node in nodes for storage in held)
    return [
        storage
        for storage in dict.fromkeys(storages)
        if storage not in losses
        and storage not in run.steps.owned
        and not _is_data(run, storage.value, handed_on)
    ]


def _of_criteria(run: Run, roots: Sequence[Root], reached: set[Node]) -> set[Storage]:
    """The expected weights of callees that are loss functions, and so have none, as far as these backwards show.

    What they return is a loss, or a part of one, and is computed from what another callee returned.
    """
    heap, losses = run.heap, parts_of_losses(roots)
    expected = {
        func: weights for func in run.handed.forwards if (weights := known_weights(run, func)) is not None
    }
    leaves = {node for weights in expected.values() for _, node in heap.record(weights.storage).nodes}

    def is_of_a_criterion(forward: Forward, nodes: set[Node]) -> bool:
        given = [found for guard, tensor in forward.result.nodes for found in heap.nodes(tensor, guard)]
        return not losses.isdisjoint(nodes) and not leaves.isdisjoint(reach(given))

    found: set[Storage] = set()
    for func, weights in expected.items():
        made = [(one, _nodes_of(run, one)) for one in run.handed.forwards[func]]
        made = [(one, nodes) for one, nodes in made if not reached.isdisjoint(nodes)]
        if made and all(is_of_a_criterion(one, nodes) for one, nodes in made):
            found.add(weights.storage)
    return found


def _nodes_of(run: Run, forward: Forward) -> set[Node]:
    """The graph nodes of what a call returned."""
    made = forward.result.tensor
    return set() if made is None else {node for _, node in run.heap.record(made.storage).nodes}


def _is_data(run: Run, value: Unknown | None, handed_on: set[Value]) -> bool:
    """Whether a value is data and no module: an argument, a part of one, an item of a loop, or what a call returned."""
    if value is None:
        return False
    if value in handed_on and not (value.tensor is not None and value.tensor.storage.is_tensor()):
        return _is_of_a_round(run, value)
    whole: Value | None = value
    while isinstance(whole, Unknown) and whole.owner is not None and not whole.returned:
        whole = whole.owner
    if isinstance(whole, Unknown) and (whole.returned or whole in run.root.args.values()):
        return True
    return _is_of_a_round(run, value)


def _is_of_a_round(run: Run, value: Unknown) -> bool:
    """Whether a value is, or is a part of, what a loop took from an unknown iterable: the data of its round."""
    whole: Value | None = value
    while isinstance(whole, Unknown) and not whole.returned:
        if whole in run.round_before:
            return True
        whole = whole.owner
    return False
