"""Models methods that the op table lacks: `backward` of tensors, `parameters` of modules, `step` of optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve import binding
from ..torchmodel import table
from . import (
    autograd_functions,
    containers,
    dynamic_names,
    external_modules,
    external_optimizers,
    inherited,
    iterators,
    layers,
    mappings,
    modules,
    optimizers,
    requires_grad,
    submodules,
)
from .class_value import ClassValue
from .grad_evidence import mark_data
from .storage import NEVER
from .values import (
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Native,
    Optimizer,
    Scalar,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
)
from .weights import parameters_of, weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .graph import Node
    from .run import Run

NONE = Constant(None)

#: Methods of nn.Module that return the module itself and may change the dtype of its parameters.
_CONVERT = frozenset("to float double half bfloat16 apply type".split())


def flag(kwargs: Mapping[str, Value], name: str) -> bool:
    """Whether a keyword argument is given and may be true."""
    value = kwargs.get(name)
    return value is not None and not (isinstance(value, Constant) and not value.value)


# Tensors


def of_tensor(run: Run, tensor: Value, name: str) -> Value | None:
    """A method of tensors that the op table does not describe."""
    if name == "backward":
        return Native(lambda run, args, kwargs, at: backward(run, [tensor], args, kwargs))
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
    """A method of an unknown value whose name has one meaning in PyTorch, as `backward` or `parameters`."""
    if name == "backward":
        return Native(lambda run, args, kwargs, at: _backward_of_unknown(run, obj, args, kwargs))
    if name == "requires_grad_":
        return Native(lambda run, args, kwargs, at: _requires_grad_(run, obj, args, kwargs))
    if name in ("parameters", "named_parameters"):
        return Native(lambda run, args, kwargs, at: _parameters(run, obj, name))
    if name in ("modules", "named_modules"):
        return Native(lambda run, args, kwargs, at: submodules.any_of(run, obj, name == "named_modules"))
    if name in ("get", "pop"):
        return Native(lambda run, args, kwargs, at: _of_a_mapping(run, obj, name, args, kwargs, at))
    if name == "zero_grad":
        return external_optimizers.zero_grad(run, obj)
    if name in ("step", "minimize"):
        return Native(lambda run, args, kwargs, at: _step_through(run, obj, args, at))
    if name == "state_dict" and external_modules.weights_shown(run, obj) is not None:
        return Native(lambda run, args, kwargs, at: submodules.state_dict(run, obj, kwargs, at))
    if name == "load_state_dict" and external_modules.weights_shown(run, obj) is not None:
        return Native(lambda run, args, kwargs, at: optimizers.step(run, [obj], at, "load_state_dict"))
    return None


def _of_a_mapping(
    run: Run, obj: Unknown, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """`obj.get(key, default)` of an object that may be a dict; a key is most likely a word."""
    key = args[0] if args else None
    if isinstance(key, Constant) and isinstance(key.value, str):
        found = run.item(obj, key, at)
    else:
        found = run.call(run.member(obj, name), args, kwargs, at)
    return mappings.or_default(run, obj, args[0], found, args[1]) if len(args) == 2 else found


def backward(run: Run, tensors: Sequence[Value], args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`tensor.backward(gradient, retain_graph, create_graph, inputs)`, from all tensors in `tensors`."""
    _, given = binding.completed(("gradient", "retain_graph", "create_graph", "inputs"), args, kwargs)
    retain = flag(given, "retain_graph") or flag(given, "create_graph")
    run.takes_backward()
    roots = [found for tensor in tensors for found in run.tensors_within(tensor)]
    if run.program.second_look:
        mark_data(run, roots)
    run.heap.backward(roots, run.path, retain, wanted_by(run, given.get("inputs")))
    return NONE


def wanted_by(run: Run, inputs: Value | None) -> set[Node] | None:
    """The nodes of the tensors whose gradients a backward is asked for by its `inputs`; None for all leaves."""
    if inputs is None or (isinstance(inputs, Constant) and inputs.value is None):
        return None
    found = [tensor for _, tensor in run.tensors_within(inputs)]
    modules = [run.several.stand_ins[one.storage] for one in found if one.storage in run.several.stand_ins]
    found += [weights for one in modules for weights in weights_of(run, one)]
    return {node for tensor in found for _, node in run.heap.nodes(tensor, run.path)}


def _backward_of_unknown(run: Run, obj: Unknown, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """`loss.backward()`; or `engine.backward(loss)`, which starts from the arguments only, if one has a graph."""
    given = [found for value in args for found in run.tensors_within(value)]
    if any(node.edges for guard, tensor in given for _, node in run.heap.nodes(tensor, guard)):
        return backward(run, args, [], kwargs)
    return backward(run, [obj, *args], args, kwargs)


def _requires_grad_(run: Run, value: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    wanted = args[0] if args else kwargs.get("requires_grad", Constant(True))
    for _, tensor in run.tensors(value):
        requires_grad.assign(run, tensor, wanted)
    if isinstance(wanted, Constant) and not wanted.value:
        for atom in run.possible(value):
            if isinstance(atom, Unknown):  # perhaps a module: then its weights are frozen
                requires_grad.assign(run, external_modules.expected_weights(run, atom), wanted)
    return value


# Modules and their parameters


def _parameters(run: Run, owner: Value, name: str) -> Value:
    parameters = parameters_of(run, owner)
    if name.startswith("named_"):
        return iterators.of(False, [_pair(run, parameters), _pair(run, parameters)])
    return parameters


def _pair(run: Run, value: Value) -> Value:
    return containers.make(run, "tuple", [Scalar(), value])


#: What the methods do by which Python asks for attributes, and sets them.
_BY_NAME = {
    "__getattr__": "builtins.getattr",
    "__getattribute__": "builtins.getattr",
    "__setattr__": "builtins.setattr",
}


def of_instance(run: Run, obj: Instance, name: str) -> Value | None:
    """A method or attribute that an object of the project inherits from `nn.Module`, or may inherit."""
    if name in _BY_NAME:
        asked = Symbol(_BY_NAME[name])
        return Native(lambda run, args, kwargs, at: run.call(asked, [obj, *args], kwargs, at))
    if not obj.cls.is_module() and "?" not in obj.cls.external_bases():
        own = inherited.part(run, obj)
        if isinstance(own, Unknown) and name in ("parameters", "named_parameters"):
            return Native(lambda run, args, kwargs, at: _parameters(run, obj, name))
        return of_unknown(run, own, name) if isinstance(own, Unknown) else None
    if name == "training":
        return layers.training(run)
    if name in _REGISTERS:
        return Native(lambda run, args, kwargs, at: _register(run, obj, name, args, kwargs, at))
    return module_protocol(run, obj, name)


def of_module(run: Run, module: TorchModule, name: str) -> Value | None:
    """A method of a layer of torch."""
    if name in _REGISTERS:
        return Native(lambda run, args, kwargs, at: _register(run, module, name, args, kwargs, at))
    return module_protocol(run, module, name)


def module_protocol(run: Run, obj: Value, name: str) -> Value | None:
    """A method that every module has; None for another name."""
    found = modules.method(run, obj, name)
    if found is not None:
        return found
    if name == "requires_grad_":
        return Native(lambda run, args, kwargs, at: _freeze(run, obj, args, kwargs))
    if table.gives_itself(name):
        if name in _CONVERT:
            run.forget_dtypes()
        if name == "apply":
            return Native(
                lambda run, args, kwargs, at: submodules.apply(run, obj, [*args, *kwargs.values()], at)
            )
        return Native(lambda *_: obj)
    if name in ("parameters", "named_parameters"):
        return Native(lambda run, args, kwargs, at: _parameters(run, obj, name))
    if name in submodules.LISTED:
        return Native(lambda run, args, kwargs, at: submodules.listed(run, obj, name))
    if name in ("get_parameter", "get_buffer"):
        return Native(lambda run, args, kwargs, at: submodules.tensor_at(run, obj, args, at))
    if name == "get_submodule":
        return Native(lambda run, args, kwargs, at: submodules.named(run, obj, [*args, *kwargs.values()], at))
    if name == "state_dict":
        return Native(lambda run, args, kwargs, at: submodules.state_dict(run, obj, kwargs, at))
    if name == "zero_grad":
        return Native(lambda *_: NONE)
    if name == "load_state_dict":
        run.forget_dtypes()  # with `assign=True` the parameters take the dtypes of what is loaded
        return Native(lambda run, args, kwargs, at: optimizers.step(run, [obj], at, "load_state_dict"))
    if name == "forward":
        return Bound(obj, [], {})
    if name == "__call__":
        return obj
    return None


def _freeze(run: Run, obj: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    wanted = args[0] if args else kwargs.get("requires_grad", Constant(True))
    for weights in weights_of(run, obj):
        requires_grad.assign(run, weights, wanted)
    return obj


_REGISTERS = frozenset({"register_buffer", "register_parameter", "add_module", "register_module"})


def _register(
    run: Run,
    obj: Instance | TorchModule,
    name: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    at: ast.AST,
) -> Value:
    values = [*args, *(kwargs[k] for k in ("name", "tensor", "param", "module") if k in kwargs)]
    if len(values) >= 2 and isinstance(values[0], Constant) and isinstance(values[0].value, str):
        value = values[1]
        if name == "register_buffer" and isinstance(obj, Instance):
            obj.buffers.add(values[0].value)
        if name == "register_buffer" and isinstance(value, (Tensor, Unknown)):
            given = value
            value = run.new_tensor("buffer", NEVER, None)
            if isinstance(given, Tensor):
                value.sizes, value.storage.bits = given.sizes, given.storage.bits
                value.expanded = given.expanded
                run.keep_dtype(value.storage, given.storage.dtype)
            if not run.builds:
                run.made.buffers.add(value.storage)
        if isinstance(obj, TorchModule):
            if isinstance(value, Tensor):
                obj.owns[values[0].value] = value
            return NONE
        inherited.register(run, obj, values[0].value, value, surely=name in ("add_module", "register_module"))
        run.put(obj, values[0].value, value)
    elif len(values) >= 2 and name in ("add_module", "register_module") and isinstance(obj, Instance):
        dynamic_names.register(run, obj, values[1], at)
    return NONE


# Optimizers


def _step_through(run: Run, obj: Unknown, args: Sequence[Value], at: ast.AST) -> Value:
    """`optimizer.step()` of an unknown value, or `scaler.step(optimizer)` with a known optimizer."""

    if optimizers.step_elsewhere(run, obj, args, at):
        return Unknown()
    run.steps.of_unknown = True
    for value in args:
        if isinstance(value, FunctionValue):
            run.call(value, [], {}, at)  # the closure of an optimizer
        if isinstance(value, Optimizer):
            optimizers.step(run, value.owners, at, f"{value.name}.step", fused=value.fused)
    external_optimizers.step(run, [obj, *args], at)
    return external_modules.answer(run, obj, args)


def of_class(run: Run, cls: ClassValue, name: str) -> Value | None:
    """A class attribute that is inherited from torch: `apply` of an autograd.Function."""
    if name == "apply" and autograd_functions.is_function(cls):
        return Native(
            lambda run, args, kwargs, at: autograd_functions.apply(run, cls, args, at), follows=True
        )
    return None
