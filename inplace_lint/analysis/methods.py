"""Methods that the analysis plays itself: of tensors beside the op table, of nn modules, of optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import table
from ..torchmodel.writers import SEARCHING
from . import containers, dynamic_names, foreign, inherited, iterators, modules, objects, submodules
from .frames import LENGTH
from .guards import both, compatible
from .storage import DOES, NEVER
from .values import (
    Bound,
    ClassValue,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Parameters,
    Scalar,
    Sequence_,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run

NONE = Constant(None)

#: Methods of nn.Module that return the module itself and may give its parameters another dtype.
_CONVERT = frozenset("to float double half bfloat16 apply type".split())


def flag(kwargs: Mapping[str, Value], name: str) -> bool:
    """Whether a keyword is given and may be true."""
    value = kwargs.get(name)
    return value is not None and not (isinstance(value, Constant) and not value.value)


# Tensors


def of_tensor(run: Run, tensor: Value, name: str) -> Value | None:
    """Methods of tensors that the op table does not describe."""
    if name == "backward":
        return Native(lambda run, args, kwargs, at: _backward(run, [tensor], args, kwargs))
    if name == "requires_grad_":
        return Native(lambda run, args, kwargs, at: _requires_grad_(run, tensor, args, kwargs))
    if name == "detach_":
        return Native(lambda run, *_: _requires_grad_(run, tensor, [Constant(False)], {}))
    if name in ("register_hook", "retain_grad", "register_post_accumulate_grad_hook"):
        return Native(lambda *_: NONE)
    if name == "is_floating_point":
        return Native(lambda *_: Scalar())
    return None


def of_unknown(run: Run, obj: Unknown, name: str) -> Value | None:
    """Methods of something unknown that mean one thing wherever they are found: PyTorch's own protocol."""
    if name == "backward":
        return Native(lambda run, args, kwargs, at: _backward(run, [obj, *args], args, kwargs))
    if name == "requires_grad_":
        return Native(lambda run, args, kwargs, at: _requires_grad_(run, obj, args, kwargs))
    if name in ("parameters", "named_parameters"):
        return Native(lambda run, args, kwargs, at: _parameters(run, obj, name))
    if name in ("modules", "named_modules"):
        return Native(lambda run, args, kwargs, at: foreign.submodules(run, obj, name == "named_modules"))
    if name == "zero_grad":
        return foreign.zero_grad(run, obj)
    if name in ("step", "minimize"):
        return Native(lambda run, args, kwargs, at: _step_through(run, obj, args, at))
    if name == "load_state_dict" and foreign.known_weights(run, obj) is not None:
        return Native(lambda run, args, kwargs, at: step(run, [obj], at, "load_state_dict"))
    return None


def _backward(
    run: Run, tensors: Sequence[Value], args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    retain = flag(kwargs, "retain_graph") or flag(kwargs, "create_graph")
    if len(args) > 1:
        retain = retain or not (isinstance(args[1], Constant) and not args[1].value)
    run.steps.trains = True
    roots = [found for tensor in tensors for found in run.tensors_within(tensor)]
    if run.program.second_look:
        from .kinds import mark_data

        mark_data(run, roots)
    run.heap.backward(roots, run.path, retain)
    return NONE


def _requires_grad_(run: Run, value: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    from .attributes import set_requires_grad

    wanted = args[0] if args else kwargs.get("requires_grad", Constant(True))
    for _, tensor in run.tensors(value):
        set_requires_grad(run, tensor, wanted)
    if isinstance(wanted, Constant) and not wanted.value:
        for atom in run.possible(value):
            if isinstance(atom, Unknown):  # perhaps a module: then none of its weights does
                set_requires_grad(run, foreign.expected_weights(run, atom), wanted)
    return value


# Modules and their parameters


def weights_of(run: Run, owner: Value, depth: int = 6) -> list[Tensor]:
    """The parameters of a module or object, or the tensor that the owner is."""
    found: list[Tensor] = []
    if depth == 0:
        return found
    for _, atom in alternatives(owner):
        if isinstance(atom, TorchModule):
            if atom.weights is not None:
                found.append(atom.weights)
            found.extend(t for t in atom.owns.values() if t.storage.leaf)
        elif isinstance(atom, Tensor):
            if atom.storage.leaf or atom.storage.grad:
                found.append(atom)
        elif isinstance(atom, Instance):
            if atom.pending is not None:
                objects.materialise(run, atom)
            for value in run.elements(atom):
                found.extend(weights_of(run, value, depth - 1) if _is_member(value) else [])
        elif isinstance(atom, (Sequence_, Mapping_)):
            for value in run.elements(atom):
                found.extend(weights_of(run, value, depth - 1))
        elif isinstance(atom, Parameters):
            for inner in atom.owners:
                found.extend(weights_of(run, inner, depth - 1))
        elif isinstance(atom, Unknown):
            weights = foreign.known_weights(run, atom)
            if weights is not None:
                found.append(weights)
    return found


def _is_member(value: Value) -> bool:
    """Whether an attribute of a module is a parameter or holds some (a plain tensor attribute is neither)."""
    return not isinstance(value, Tensor) or value.storage.origin == "parameter"


def parameters_of(run: Run, owner: Value) -> Parameters:
    """What `parameters()` of a module gives."""
    if isinstance(owner, Unknown):
        foreign.expected_weights(run, owner)
    weights = weights_of(run, owner)
    found = [e for w in weights for _, e in run.heap.gradients(w, run.path)]
    return Parameters([owner], DOES if not weights else max(found, default=NEVER))


def _parameters(run: Run, owner: Value, name: str) -> Value:
    parameters = parameters_of(run, owner)
    if name.startswith("named_"):
        return iterators.of(False, [_pair(run, parameters), _pair(run, parameters)])
    return parameters


def _pair(run: Run, value: Value) -> Value:
    return containers.make(run, "tuple", [Scalar(), value])


def of_instance(run: Run, obj: Instance, name: str) -> Value | None:
    """What an object inherits from torch."""
    from .attributes import training

    if not obj.cls.is_module() and "?" not in obj.cls.external_bases():
        return None
    if name == "training":
        return training(run)
    if name in ("register_buffer", "register_parameter", "add_module", "register_module"):
        return Native(lambda run, args, kwargs, at: _register(run, obj, name, args, kwargs))
    return module_protocol(run, obj, name)


def of_module(run: Run, module: TorchModule, name: str) -> Value | None:
    return module_protocol(run, module, name)


def module_protocol(run: Run, obj: Value, name: str) -> Value | None:
    found = modules.method(run, obj, name)
    if found is not None:
        return found
    if name == "requires_grad_":
        return Native(lambda run, args, kwargs, at: _freeze(run, obj, args, kwargs))
    if table.gives_itself(name):
        if name in _CONVERT:
            run.forget_dtypes()
        if name == "apply" and not run.builds:
            return Native(
                lambda run, args, kwargs, at: submodules.apply(run, obj, [*args, *kwargs.values()], at)
            )
        return Native(lambda *_: obj)
    if name in ("parameters", "named_parameters"):
        return Native(lambda run, args, kwargs, at: _parameters(run, obj, name))
    if name in submodules.LISTED:
        return Native(lambda run, args, kwargs, at: submodules.listed(run, obj, name))
    if name == "get_submodule":
        return Native(lambda run, args, kwargs, at: submodules.named(run, obj, [*args, *kwargs.values()], at))
    if name == "zero_grad":
        return Native(lambda *_: NONE)
    if name == "load_state_dict":
        run.forget_dtypes()  # with `assign=True` they are those of what is loaded
        return Native(lambda run, args, kwargs, at: step(run, [obj], at, "load_state_dict"))
    if name == "forward":
        return Bound(obj, [], {})
    if name == "__call__":
        return obj
    return None


def _freeze(run: Run, obj: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    from .attributes import set_requires_grad

    wanted = args[0] if args else kwargs.get("requires_grad", Constant(True))
    for weights in weights_of(run, obj):
        set_requires_grad(run, weights, wanted)
    return obj


def _register(
    run: Run, obj: Instance, name: str, args: Sequence[Value], kwargs: Mapping[str, Value]
) -> Value:
    values = [*args, *(kwargs[k] for k in ("name", "tensor", "param", "module") if k in kwargs)]
    if len(values) >= 2 and isinstance(values[0], Constant) and isinstance(values[0].value, str):
        value = values[1]
        if name == "register_buffer":
            obj.buffers.add(values[0].value)
        if name == "register_buffer" and isinstance(value, (Tensor, Unknown)):
            given = value
            value = run.new_tensor("buffer", NEVER, None)
            if isinstance(given, Tensor):
                value.sizes, value.storage.bits = given.sizes, given.storage.bits
                run.keep_dtype(value.storage, given.storage.dtype)
            if not run.builds:
                run.made.buffers.add(value.storage)
        run.put(obj, values[0].value, value)
        inherited.register(run, obj, value)
    elif len(values) >= 2 and name in ("add_module", "register_module"):
        dynamic_names.register(run, obj, values[1])
    return NONE


# Optimizers


class Optimizer(Value):
    """An optimizer over the parameters of `owners` (modules, tensors); `name` its class, `fused` its flag."""

    __slots__ = ("fused", "name", "owners")

    def __init__(self, name: str, owners: list[Value], fused: bool) -> None:
        self.name = name
        self.owners = owners
        self.fused = fused


def of_optimizer(run: Run, obj: Optimizer, name: str) -> Value:
    if name == "step":
        return Native(lambda run, args, kwargs, at: _optimizer_step(run, obj, [*args, *kwargs.values()], at))
    if name == "zero_grad":
        return Native(lambda *_: NONE)
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
    from . import calls

    result: Value = NONE
    for _ in range(2 if args and obj.name in SEARCHING else 1):
        for closure in args:
            result = calls.call(run, closure, [], {}, at)
        step(run, obj.owners, at, f"{obj.name}.step", fused=obj.fused)
    return result


def _step_through(run: Run, obj: Unknown, args: Sequence[Value], at: ast.AST) -> Value:
    """`scaler.step(optimizer)`: something unknown is asked to step an optimizer that is known."""
    from . import calls

    run.steps.of_unknown = True
    for value in args:
        if isinstance(value, FunctionValue):
            calls.call(run, value, [], {}, at)  # a closure, of what may be an optimizer
        if isinstance(value, Optimizer):
            step(run, value.owners, at, f"{value.name}.step", fused=value.fused)
    foreign.step(run, [obj, *args], at)
    return Unknown()


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
    return NONE


def _may_have_been_reached(run: Run, owner: Value) -> bool:
    """Whether a backward that is not in sight may have given a module's parameters their gradients."""
    if not isinstance(owner, Instance) or owner.shared or owner in run.root.outside:
        return True
    return run.handed.lends


def of_class(run: Run, cls: ClassValue, name: str) -> Value | None:
    """What a class inherits from torch: `apply` of an autograd.Function."""
    if name == "apply" and any(base.endswith("autograd.Function") for base in cls.external_bases()):
        return Native(lambda run, args, kwargs, at: objects.apply_function(run, cls, args, at))
    return None
