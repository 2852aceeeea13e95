"""Models modules of unknown class, such as the argument in `def train(model)`.

A value counts as a module once the code uses it as one (`model.parameters()`). If it was called before that, the saves
of that forward are recorded afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.spelling import are_of_data
from . import unmodeled, wrapped_results
from .heap import Saved
from .storage import DOES
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Unknown,
    Value,
    flatten,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .frames import Place
    from .guards import Guard
    from .run import Run
    from .storage import Storage

#: A key in the state of an unknown value that no attribute can have.
_WEIGHTS = "parameters()"
#: The key, among an object's attributes, of the part that it inherits from a class outside the project (`inherited`).
INHERITED = "super()"


#: So many conversions of a network, one after the other, and so many owners of an attribute, are seen through.
_MOVES = 8


class Forward:
    """A call of an unknown value that may turn out to be the forward of a module."""

    __slots__ = ("certain", "func", "lent", "path", "place", "result", "time", "values")

    def __init__(self, run: Run, func: Unknown, result: Unknown, values: list[Value], at: ast.AST) -> None:
        self.func = func
        self.result = result
        self.values = values
        self.place: Place = run.place(at)
        self.path: Guard = run.path
        self.time = run.heap.time
        self.certain = run.grad == "on"
        #: the callee may hold tensors with a graph: some escaped before, or it was passed to unknown code
        self.lent = any(root.time is None for root in run.heap.roots) or (
            func.tensor is not None and func.tensor.storage in run.handed.given
        )


def callee(func: Value) -> Value:
    """The callee; for what `net.to(device)` took for a tensor, which is never called, the unknown value itself."""
    if not isinstance(func, (Phi, Tensor)):
        return func
    found = {atom if isinstance(atom, Unknown) else taken_for_a_tensor(atom) for atom in flatten(func)}
    moved = found.pop() if len(found) == 1 else None
    return func if moved is None else moved


def network_of(run: Run, value: Value, name: str) -> Unknown | None:
    """The network that conversions, as `net.to(device)`, made a value of, if it is the one to ask for the attribute.

    That is so if no tensor has the attribute, and each module has it, or the network has shown itself to be one.
    """
    if table.property_(name) is not None or table.exists_method(name):
        return None
    network = callee(value)
    if not isinstance(network, Unknown):
        return None
    return network if table.has_module(name) or known_weights(run, network) is not None else None


def taken_for_a_tensor(func: Value) -> Unknown | None:
    """The unknown value that conversions, as `net.to(device)`, made a tensor of; None for any other value."""
    storage = func.storage if isinstance(func, Tensor) else None
    if storage is not None and storage.leaf:
        return None
    for _ in range(_MOVES):
        if storage is None or storage.value is not None:
            break
        made_of = storage.sources or storage.evidence
        storage = made_of[0] if len(made_of) == 1 else None
    return None if storage is None else storage.value


def called(
    run: Run, func: Unknown, given: Sequence[tuple[Guard, Tensor]], values: list[Value], at: ast.AST
) -> Value:
    """Models a call of an unknown value; if it may be a module, it saves its parameters and the result needs them."""
    _may_store(run, func.owner)
    result = Unknown()
    result.behind = hidden_in(run, result, [func, *values])
    _may_keep(run, [func, *values], given)
    run.handed.unresolved.add(spelled(getattr(at, "func", None)).rpartition(".")[2])
    weights = known_weights(run, func)
    known = weights is not None
    wholes = _wholes(run, func)
    if weights is None:
        weights = next((w for one in wholes if (w := known_weights(run, one)) is not None), None)
    if weights is None and run.handed.expects_modules and func.is_given() and values:
        # What is called without arguments (`get_batch()`) is no module by that alone.
        weights = expected_weights(run, func)
    if known and run.grad not in ("on", "unknown"):
        return run.new_tensor("result", 0, at)
    # The result of a method depends on what its object was computed from, as well as on the arguments.
    owner = func.owner
    behind = unmodeled.tensors_behind(run, func) if isinstance(owner, Unknown) and owner.returned else []
    result.nodes, result.returned = [*given, *behind], True
    result.alone = weights is None and func.alone and all(is_alone(run, value) for value in values)
    wrapped_results.note(run, result, values, _is_network)
    if run.grad in ("on", "unknown"):
        if given and weights is None and run.program.prefilter.notes:
            unmodeled.may_save(run, result, spelled(getattr(at, "func", None)), at)
        forward = Forward(run, func, result, values, at)
        for one in (func, *wholes):
            run.handed.forwards.setdefault(one, []).append(forward)
        if weights is not None:
            _remember(run, forward, weights, known)
    elif run.program.second_look:
        run.bottom().slots[(result, "member", unmodeled.UNRECORDED)] = Constant(True)
    return run.returned_by(result, (run.frame.uid, at, func))


def _is_network(run: Run, value: Value) -> bool:
    """Whether a value of unknown class, perhaps moved to a device, has shown itself to be a module."""
    network = value if isinstance(value, Unknown) else taken_for_a_tensor(value)
    return network is not None and known_weights(run, network) is not None


def _wholes(run: Run, func: Unknown) -> list[Unknown]:
    """The unknown values, nearest first, whose weights a call of their attribute may use: `net.head(net.trunk(x))`.

    Of an object of the project, that is what it inherits from a class of another package: its layers, perhaps.
    """
    found: list[Unknown] = []
    whole = func.owner
    while isinstance(whole, Unknown) and len(found) < _MOVES:
        found.append(whole)
        whole = whole.owner
    part = run.state.get((whole, INHERITED)) if isinstance(whole, Instance) else None
    return [*found, part] if isinstance(part, Unknown) else found


def result_of(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Unknown:
    """The result of a call of unknown code: it may depend on every tensor in the arguments."""
    result = Unknown()
    result.returned = True
    result.alone = all(is_alone(run, value) for value in (*args, *kwargs.values()))
    result.behind = hidden_in(run, result, (*args, *kwargs.values()))
    wrapped_results.note(run, result, (*args, *kwargs.values()), _is_network)
    result.nodes = [found for value in (*args, *kwargs.values()) for found in run.tensors_within(value)]
    _may_keep(run, [*args, *kwargs.values()], result.nodes)
    run.hands_on((*args, *kwargs.values()))
    run.handed.given.update(tensor.storage for _, tensor in result.nodes)
    return result


def answer(run: Run, obj: Unknown, args: Sequence[Value]) -> Unknown:
    """The result of a method of an unknown object that is modelled apart, such as `step`: a new unknown value."""
    _may_keep(run, [obj, *args], [found for value in args for found in run.tensors_within(value)])
    result = Unknown()
    result.alone = obj.alone and all(is_alone(run, value) for value in args)
    return result


def is_alone(run: Run, value: Value, depth: int = 4) -> bool:
    """Whether no gradient can flow to a value: a number, a name, a data set, or something made of these alone."""
    for atom in flatten(value):
        if isinstance(atom, (Sequence_, Mapping_)) or (
            isinstance(atom, Instance) and are_of_data(atom.cls.external_bases())
        ):
            within = run.elements(atom)
            if isinstance(atom, Instance) and atom.pending is not None:
                args, kwargs = atom.pending
                within += [*args, *kwargs.values()]
            if not depth or not all(is_alone(run, element, depth - 1) for element in within):
                return False
        elif isinstance(atom, Tensor):
            if run.heap.record(atom.storage).grads:
                return False
        elif not isinstance(atom, (Constant, Scalar, Symbol)) and not (
            isinstance(atom, Unknown) and atom.alone
        ):
            return False
    return True


def _may_keep(run: Run, values: Sequence[Value], given: Sequence[tuple[Guard, Tensor]]) -> None:
    """Notes that unknown code was given these values: if one may have a graph, each of them may hold it from now on."""
    atoms = [atom for value in values for atom in flatten(value)]
    if any(_has_graph(run, tensor) for _, tensor in given) or any(
        isinstance(atom, Instance) and not are_of_data(atom.cls.external_bases()) for atom in atoms
    ):
        for atom in atoms:
            whole: Value | None = atom
            while isinstance(whole, Unknown):
                run.handed.filled.add(whole)
                whole = whole.owner


def hidden_in(run: Run, result: Unknown, values: Sequence[Value]) -> int:
    """A serial: any node made before it may be in the graph of a call's result, through what the values hold."""
    if _may_hold(run, values):
        return result.serial
    return max((unmodeled.behind(run, value) for value in values), default=0)


def _may_hold(run: Run, values: Sequence[Value]) -> bool:
    """Whether a value may hold a graph that is not in sight: an object, a function, or one noted by `_may_keep`."""
    for value in values:
        for atom in flatten(value):
            if isinstance(atom, (Instance, FunctionValue, Bound)):
                return True
            whole: Value | None = atom
            while isinstance(whole, Unknown):
                if whole in run.handed.filled:
                    return True
                whole = whole.owner
    return False


def may_hide(run: Run, value: Value, depth: int = 6) -> bool:
    """Whether an object holds a tensor with a graph, or may: what its methods return may depend on that, unseen."""
    for atom in flatten(value):
        if isinstance(atom, (Instance, Sequence_, Mapping_)):
            kept = isinstance(atom, Instance) and not (atom.cls.is_module() and depth)
            if kept or any(_may_be_kept(run, part, depth - 1) for part in run.elements(atom)):
                return True
    return False


def _may_be_kept(run: Run, part: Value, depth: int) -> bool:
    """Whether what an object holds has a graph, or may have one."""
    for atom in flatten(part):
        if isinstance(atom, Tensor) and any(node.edges for _, node in run.heap.record(atom.storage).nodes):
            return True
        if isinstance(atom, Unknown) and not (atom.is_given() or atom.alone):
            return True
    return may_hide(run, part, depth)


def _has_graph(run: Run, tensor: Tensor) -> bool:
    """Whether a gradient may flow to a tensor; not to one returned by calls that were given no graph."""
    value = tensor.storage.value
    if value is not None and value.alone and value not in run.handed.filled:
        return False
    return bool(run.heap.record(tensor.storage).grads)


def _may_store(run: Run, owner: Value | None) -> None:
    """Forgets what was stored in an unknown object and its parts: the method called on it may have replaced it."""
    for holder, key in run.handed.stored if owner is not None else ():
        whole: Value | None = holder
        while whole is not owner and isinstance(whole, Unknown):
            whole = whole.owner
        if whole is owner:
            run.set_member(holder, key, Unknown(holder))


def spelled(func: ast.expr | None) -> str:
    """The callee as the source spells it: `self.proj`."""
    name = getattr(func, "id", None) or getattr(func, "attr", None)
    if name is None:
        return "a call"
    owner = getattr(func, "value", None)
    return f"{spelled(owner)}.{name}" if hasattr(owner, "id") or hasattr(owner, "attr") else str(name)


def _remember(run: Run, forward: Forward, weights: Tensor, known: bool) -> None:
    """Records that a forward saves the module's parameters; `known`: the callee is certainly a module.

    If the weights are those of the whole that the callee is an attribute of, that may as well load data: what it
    returns has to be a tensor.
    """
    tensor = run.as_tensor(forward.result)
    assert tensor is not None
    if known:
        forward.result.of_module = True
        tensor.storage.prove()
    record = run.heap.record(tensor.storage)
    for _, node in record.nodes:
        node.opaque = forward.result.behind if forward.lent else 0
    if known and forward.certain:
        record.grads += [one for one in run.heap.gradients(weights, forward.path) if one[1] == DOES]
    unproved = () if known_weights(run, forward.func) is weights else (tensor.storage,)
    _keep(run, tensor, weights, forward.path, forward.place, forward.certain, unproved)


def _keep(
    run: Run,
    result: Tensor,
    weights: Tensor,
    path: Guard,
    place: Place,
    certain: bool,
    unproved: tuple[Storage, ...] = (),
) -> None:
    """Links the result of a forward to the weights, and records that the forward saves them."""
    for _, node in run.heap.record(result.storage).nodes:
        node.edges.extend(run.heap.nodes(weights, path))
        run.heap.used = None
        saved = Saved(weights.storage, path, node, place)
        saved.op, saved.attr = "forward", "weight"
        saved.certain, saved.unproved = certain, unproved
        run.save(saved)


def known_weights(run: Run, owner: Unknown) -> Tensor | None:
    """The parameters of an unknown value, as one tensor; None if nothing so far shows that it is a module."""
    found = run.state.get((owner, "member", _WEIGHTS))
    return found if isinstance(found, Tensor) else None


def expected_weights(run: Run, owner: Unknown) -> Tensor:
    """The parameters of a module of unknown class, as one tensor; the first use records its earlier forwards."""
    known = known_weights(run, owner)
    if known is not None:
        return known
    weights = run.new_tensor("parameter", DOES, None, leaf=True)
    whole = next(
        (found for one in _wholes(run, owner) if (found := known_weights(run, one)) is not None), None
    )
    if whole is not None:  # they are among those of the whole, which may be frozen
        run.heap.record(weights.storage).grads = [*run.heap.record(whole.storage).grads]
    run.bottom().slots[(owner, "member", _WEIGHTS)] = weights
    for forward in run.handed.forwards.get(owner, ()):
        # What a call of an attribute has returned may be data: it has to be a tensor.
        made = forward.result.tensor
        if forward.func is owner or (made is not None and made.storage.is_tensor()):
            _remember(run, forward, weights, forward.func is owner)
    return weights


def weights_shown(run: Run, owner: Unknown) -> Tensor | None:
    """The parameters of an unknown value that has shown itself to be a module, or was called with arguments before.

    Who asks has a state dict of it, as optimizers have as well, but these are not called.
    """
    called_before = any(one.func is owner and one.values for one in run.handed.forwards.get(owner, ()))
    return expected_weights(run, owner) if called_before else known_weights(run, owner)


def expect_modules_in(run: Run, container: Value, elements: Sequence[Value]) -> None:
    """Notes that the elements of a container of `torch.nn`, if they are unknown values, are modules."""
    kind = container.kind if isinstance(container, (Sequence_, Mapping_)) else ""
    if kind in ("Sequential", "ModuleList", "ModuleDict"):
        for element in elements:
            if isinstance(element, Unknown):
                expected_weights(run, element)


def chained(run: Run, result: Value, weights: Sequence[Tensor], at: ast.AST) -> None:
    """Links the result of modules that ran one after the other, in unknown order, to the weights of all of them."""
    tensor = run.as_tensor(result) if weights and run.grad in ("on", "unknown") else None
    if tensor is not None:
        for one in weights:
            _keep(run, tensor, one, run.path, run.place(at), run.grad == "on")
