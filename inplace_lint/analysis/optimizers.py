"""Optimizers: over whose parameters they go, and what a step writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.writers import SEARCHING
from .frames import LENGTH
from .guards import both, compatible
from .values import Constant, Instance, Mapping_, Native, Parameters, Sequence_, Unknown, Value
from .weights import weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from .run import Run


class Optimizer(Value):
    """An optimizer over the parameters of `owners` (modules, tensors); `name` its class, `fused` its flag."""

    __slots__ = ("fused", "name", "owners")

    def __init__(self, name: str, owners: list[Value], fused: bool) -> None:
        self.name = name
        self.owners = owners
        self.fused = fused


def attribute(run: Run, obj: Optimizer, name: str) -> Value:
    if name == "step":
        return Native(lambda run, args, kwargs, at: _optimizer_step(run, obj, [*args, *kwargs.values()], at))
    if name == "zero_grad":
        return Native(lambda *_: Constant(None))
    if name == "param_groups":
        return _groups(run, obj)
    return Unknown()


def _groups(run: Run, obj: Optimizer) -> Value:
    """`param_groups`: one that stands for each, with all parameters; unknown where it is not known whose they are."""
    if not obj.owners or any(isinstance(owner, Unknown) for owner in obj.owners):
        return Unknown()
    known = run.state.get((obj, "param_groups"))
    if known is None:
        group, known = Mapping_(), Sequence_("list")
        params = ("key", "params")
        group.keys[params] = known.keys[0] = None
        run.bottom().slots.update(
            {
                (group, params): Parameters([*obj.owners]),
                (known, 0): group,
                (known, LENGTH): Constant(1),
                (obj, "param_groups"): known,
            }
        )
    return known


def _optimizer_step(run: Run, obj: Optimizer, args: Sequence[Value], at: ast.AST) -> Value:

    result: Value = Constant(None)
    for _ in range(2 if args and obj.name in SEARCHING else 1):
        for closure in args:
            result = run.call(closure, [], {}, at)
        step(run, obj.owners, at, f"{obj.name}.step", fused=obj.fused)
    return result


def step(run: Run, owners: Sequence[Value], at: ast.AST, op: str, fused: bool = False) -> Value:
    """Write the parameters of the owners, as an optimizer does: under no_grad, and counted unless it is fused."""
    quiet = "unchecked" if fused else ""
    run.steps.trains = run.steps.of_parameters = True
    place = run.place(at)
    for owner in owners:
        unseen = _may_have_been_reached(run, owner)
        for weights in weights_of(run, owner):
            # An optimizer passes over parameters that no backward has reached.
            if op != "load_state_dict" and not run.heap.has_gradient(weights.storage, unseen):
                continue
            for guard, _ in run.heap.gradients(weights, run.path):
                if compatible(guard, run.path):
                    run.heap.write(weights.storage, both(run.path, guard), op, place, "step", quiet=quiet)
    return Constant(None)


def _may_have_been_reached(run: Run, owner: Value) -> bool:
    """Whether a backward that is not in sight may have given a module's parameters their gradients."""
    if not isinstance(owner, Instance) or owner.shared or owner in run.root.outside:
        return True
    return run.handed.lends
