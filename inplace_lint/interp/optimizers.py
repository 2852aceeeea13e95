"""Models optimizers: whose parameters they hold, and what a step writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel.writers import SEARCHING
from . import external_optimizers
from .external_modules import result_of
from .frames import LENGTH
from .guards import both, compatible
from .iterators import Iteration
from .values import (
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Optimizer,
    Parameters,
    Sequence_,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    flatten,
)
from .weights import owners_in, standing_for, weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run
    from .storage import Storage


def attribute(run: Run, obj: Optimizer, name: str) -> Value:
    """An attribute of an optimizer."""
    if name == "step":
        return Native(lambda run, args, kwargs, at: _optimizer_step(run, obj, [*args, *kwargs.values()], at))
    if name == "zero_grad":
        return Native(lambda *_: Constant(None))
    if name == "param_groups":
        return _groups(run, obj)
    return Unknown()


def _groups(run: Run, obj: Optimizer) -> Value:
    """`param_groups`: one group that holds all parameters; unknown if some owner of them is unknown."""
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
    """Write the parameters of the owners, as a step does under no_grad; a fused step moves no version counter."""
    quiet = "unchecked" if fused else ""
    run.steps.of_parameters = True
    run.steps.trains = run.steps.trains or op != "load_state_dict"
    place = run.place(at)
    written: set[Storage] = set()
    for owner in owners:
        unseen = _may_have_been_reached(run, owner)
        for weights in weights_of(run, owner):
            # An optimizer skips parameters whose `grad` is None.
            if op != "load_state_dict":
                run.steps.owned.add(weights.storage)
            if op != "load_state_dict" and not run.heap.has_gradient(weights.storage, unseen):
                continue
            for guard, _ in run.heap.gradients(weights, run.path):
                if compatible(guard, run.path):
                    run.heap.write(weights.storage, both(run.path, guard), op, place, "step", quiet=quiet)
                    written.add(weights.storage)
    for storage in standing_for(run, written):
        run.heap.write(storage, run.path, op, place, "step", quiet=quiet)
    return Constant(None)


def _may_have_been_reached(run: Run, owner: Value) -> bool:
    """Whether a backward outside this run may have set the gradients of the parameters of an owner."""
    if not isinstance(owner, Instance) or owner.shared or owner in run.root.outside:
        return True
    return run.handed.lends


def clip(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Models `clip_grad_norm_`: the gradients are clipped for the step that follows, so it writes these parameters."""
    owners: list[Value] = []
    given = args[0] if args else kwargs.get("parameters")
    if given is not None:
        owners_in(run, given, owners)
    run.steps.clipped.update(weights.storage for owner in owners for weights in weights_of(run, owner))
    return result_of(run, args, kwargs)


# Optimizers of other packages

#: The key of the parameters among the members of an unknown value; no attribute of Python can have this name.
_MADE_OF = "made of parameters()"
#: ... the module that the call got in their place.
_MADE_FOR = "made of a module"


def note_parameters(run: Run, made: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> None:
    """Remember the parameters that a callee of another package got, as what makes an optimizer does.

    They are the first argument, or one of the others is parameters and nothing else: `make(options, net.parameters())`.
    If there are none, remember the one module among the arguments.
    """
    if "fused" in kwargs:
        return  # whether a fused step of another package moves version counters is not known
    given = args[0] if args else kwargs.get("params")
    inside = run.elements(given) if isinstance(given, Sequence_) else []
    owners: list[Value] = []
    if given is not None and all(map(_holds_parameters, [given, *inside])):
        owners_in(run, given, owners)
    key = _MADE_OF
    if not owners:
        others = [*args, *kwargs.values()]
        held: list[Value] = [one for one in others if isinstance(one, Parameters)]
        if not held:
            key, held = _MADE_FOR, [one for one in others if _is_module(one)]
        if len(held) == 1:
            owners_in(run, held[0], owners)
    if owners:
        run.bottom().slots[(made, "member", key)] = Parameters(owners)


def _is_module(value: Value) -> bool:
    """Whether a value is a module of torch or of the project, or a chain of such."""
    if isinstance(value, Instance):
        return value.cls.is_module()
    return isinstance(value, TorchModule) or (isinstance(value, Sequence_) and value.kind == "Sequential")


def _holds_parameters(value: Value) -> bool:
    """Whether a value is parameters, or a list or group of them, and no module."""
    return all(
        isinstance(atom, (Iteration, Mapping_, Parameters, Sequence_, Tensor)) for atom in flatten(value)
    )


def step_elsewhere(run: Run, obj: Unknown, args: Sequence[Value], at: ast.AST) -> bool:
    """Model `step()` of an object that another package made of parameters; False if it is no optimizer.

    An optimizer gets a closure at most. An average of the parameters would be given these again. What was made of a
    module is one if `zero_grad()` is called on it as well.
    """
    known = run.state.get((obj, "member", _MADE_OF))
    if known is None and external_optimizers.is_zeroed(run, obj):
        known = run.state.get((obj, "member", _MADE_FOR))
    if not isinstance(known, Parameters) or not all(isinstance(arg, FunctionValue) for arg in args):
        return False
    for closure in args:
        run.call(closure, [], {}, at)
    step(run, known.owners, at, "step")
    return True
