"""Models `F.apply(…)` of a custom `torch.autograd.Function`, and the call of its object, as before torch 1.3.

Its `forward` runs with grad mode off and becomes one graph node. That node saves what `ctx.save_for_backward` was
given, and the attributes of `ctx` that `backward` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.statement import attributes_read
from . import lookup
from .graph import Node
from .guards import both
from .heap import Saved
from .joins import join
from .storage import Storage, strongest
from .values import Constant, FunctionValue, Instance, Native, Tensor, Unknown, Value

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from .class_value import ClassValue
    from .frames import Place
    from .guards import Guard
    from .run import Run


def is_function(cls: ClassValue) -> bool:
    """Whether a class derives from `torch.autograd.Function`."""
    return any(base.endswith("autograd.Function") for base in cls.external_bases())


def apply(run: Run, cls: ClassValue, args: Sequence[Value], at: ast.AST) -> Value:
    """Runs `forward` with grad mode off, then links its results and its saves to one new graph node."""
    forward = lookup.find(run, cls.order(), "forward")
    if not isinstance(forward, FunctionValue):
        return run.call_unknown(cls, args, {}, at)
    if forward.source.node.args.vararg is None and len(forward.source.parameters) == len(args):
        return run.call_unknown(cls, args, {}, at)
    return _apply(run, cls, forward, Unknown(), args, at)


def call(run: Run, obj: Instance, forward: FunctionValue, args: Sequence[Value], at: ast.AST) -> Value:
    """Calls an object of such a class, which is its own context: `F(alpha)(x)`."""
    return _apply(run, obj.cls, forward, obj, args, at)


def _apply(
    run: Run,
    cls: ClassValue,
    forward: FunctionValue,
    context: Unknown | Instance,
    args: Sequence[Value],
    at: ast.AST,
) -> Value:
    """Runs `forward` on a context, and makes the node of the call."""
    kept, dirty, constant, methods = _of_context()
    for name, method in methods.items():
        if isinstance(context, Instance):
            run.put(context, name, method)
        else:
            run.set_member(context, name, method)
    given = [found for value in args for found in run.tensors_within(value)]
    mode = run.grad
    run.grad = "off"
    result = run.enter(forward, [context, *args], {}, at)
    run.grad = mode
    if mode not in ("on", "unknown"):
        return result
    grads = [found for guard, tensor in given for found in run.heap.gradients(tensor, guard)]
    if not grads:
        return result
    node = Node([edge for guard, tensor in given for edge in run.heap.nodes(tensor, guard)])
    place = run.place(at)
    # An input that `ctx.mark_dirty` names is returned itself, with the Function as its new graph node.
    untouched = [tensor for _, tensor in given if tensor not in dirty]
    result = _own_view(run, result, untouched, place)
    for guard, tensor in run.tensors_within(result):
        if tensor not in constant:
            run.heap.results_in(tensor.graph, guard, node, strongest(grads))
    inputs = {tensor.storage for _, tensor in given}
    on_context = [
        (guard, tensor, True)
        for value in _read_back(run, cls, context)
        for guard, tensor in run.tensors(value)
    ]
    name = cls.source.name
    for guard, tensor, unchecked in [*((g, t, False) for g, t in kept), *on_context]:
        for need, evidence in strongest(grads):
            saved = Saved(tensor.storage, both(guard, need), node, place)
            saved.op, saved.node_name, saved.attr = name, f"{name}Backward", "saved_tensors"
            saved.result, saved.ran = tensor.storage not in inputs, guard
            saved.grad = evidence
            saved.certain = mode == "on"
            saved.sources = tuple(t.storage for _, t in given)
            saved.unchecked = place if unchecked else None
            run.save(saved)
    return result


def _of_context() -> tuple[list[tuple[Guard, Tensor]], set[Tensor], set[Tensor], dict[str, Value]]:
    """What one call keeps by `ctx.save_for_backward`, and names by `mark_dirty` and `mark_non_differentiable`.

    Last come these methods.
    """
    kept: list[tuple[Guard, Tensor]] = []
    dirty: set[Tensor] = set()
    constant: set[Tensor] = set()

    def mark_dirty(run: Run, values: Sequence[Value], kwargs: object, at: ast.AST) -> Value:
        dirty.update(tensor for value in values for _, tensor in run.tensors(value))
        return Constant(None)

    def mark_non_differentiable(run: Run, values: Sequence[Value], kwargs: object, at: ast.AST) -> Value:
        constant.clear()  # the latest call counts
        constant.update(tensor for value in values for _, tensor in run.tensors(value))
        return Constant(None)

    def save_for_backward(run: Run, values: Sequence[Value], kwargs: object, at: ast.AST) -> Value:
        kept.extend(found for value in values for found in run.tensors(value))
        return Constant(None)

    def ignore(run: Run, values: object, kwargs: object, at: ast.AST) -> Value:
        return Constant(None)

    methods: dict[str, Value] = {
        "save_for_backward": Native(save_for_backward),
        "mark_dirty": Native(mark_dirty),
        "mark_non_differentiable": Native(mark_non_differentiable),
        "set_materialize_grads": Native(ignore),
    }
    return kept, dirty, constant, methods


def _own_view(run: Run, result: Value, given: Sequence[Tensor], place: Place) -> Value:
    """The result, where each input that `forward` returns as it is becomes a view with a graph of its own."""
    found = []
    for guard, atom in run.live(result):
        tensor = atom.tensor if isinstance(atom, Unknown) else atom
        if isinstance(tensor, Tensor) and any(tensor is one for one in given):
            tensor = tensor.alias()
            tensor.view, tensor.no_grad_view, tensor.made_at = True, place, run.heap.time
            tensor.graph = Storage(run.uid(), "result", 0, tensor.storage.made)
            atom = tensor
        found.append((guard, atom))
    return join(found) if found else result


def _read_back(run: Run, cls: ClassValue, context: Unknown | Instance) -> list[Value]:
    """The attributes of `ctx` whose values `backward` reads, and not only their shape or dtype."""
    backward = lookup.find(run, cls.order(), "backward")
    if not isinstance(backward, FunctionValue):
        return []
    kept: dict[str, Value | None]
    if isinstance(context, Unknown):
        kept = dict(run.members(context))
    else:
        kept = {str(name): run.state.get((context, name)) for name in context.keys}
    read = attributes_read(backward.source.node) if kept else ()
    return [value for name, value in kept.items() if name in read and isinstance(value, (Tensor, Unknown))]
