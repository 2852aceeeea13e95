"""Models functions of torch beside its op table: containers, `autograd.grad`, shared memory, questions about grad mode.

`builtin` has the functions of Python itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..resolve import binding
from ..torchmodel.spelling import NORMED, TENSOR_TYPES
from ..torchmodel.writers import CLIPPING
from . import (
    arrays,
    axes,
    builtin,
    collection_types,
    containers,
    contents,
    functional_modules,
    instances,
    mappings,
    methods,
    optimizers,
    requires_grad,
    version_checks,
)
from .frames import LENGTH
from .grad_evidence import grounds
from .graph import reach
from .storage import DOES, MAY, NEVER
from .values import (
    ANY,
    Constant,
    FunctionValue,
    Mapping_,
    Native,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
    flatten,
)
from .weights import owners_in, weights_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping, Sequence

    from .run import Run

    Play = Callable[[Run, Sequence[Value], Mapping[str, Value], ast.AST], Value]

NONE = Constant(None)


def _parameter(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """nn.Parameter(data, requires_grad): a new leaf; frozen, it counts as a buffer."""
    flag = args[1] if len(args) > 1 else kwargs.get("requires_grad")
    frozen = isinstance(flag, Constant) and not flag.value
    unsure = flag is not None and not isinstance(flag, Constant)
    grad = NEVER if frozen else MAY if unsure else DOES
    made = run.new_tensor("buffer" if frozen else "parameter", grad, at, leaf=not frozen)
    if args and isinstance(args[0], Tensor):
        made.storage.device = args[0].storage.device
        made.sizes = args[0].sizes
        run.keep_dtype(made.storage, args[0].storage.dtype)
    return made


def _variable(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.autograd.Variable(data, requires_grad): `data.detach()`, which becomes a leaf if it is asked for."""
    data = args[0] if args else kwargs.get("data", NONE)
    flag = args[1] if len(args) > 1 else kwargs.get("requires_grad", NONE)
    made = run.call(run.attribute(data, "detach", at), [], {}, at)
    if isinstance(flag, Constant) and flag.value:
        for _, tensor in run.tensors(made):
            requires_grad.assign(run, tensor, flag)
    return made


def _sequential(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if len(args) == 1 and isinstance(args[0], Phi):
        each = collection_types.of_each(run, args[0], lambda one: _sequential(run, [one], kwargs, at))
        if each is not None:
            return each
    if len(args) == 1 and isinstance(args[0], Mapping_):
        exact = ANY not in args[0].keys and (bool(args[0].keys) or containers.length(run, args[0]) == 0)
        made = containers.make(run, "Sequential", run.elements(args[0]), exact)
        for key in args[0].keys:
            value = run.state.get((args[0], key))
            if isinstance(key, tuple) and value is not None:
                run.state.slots[(made, "member", key[1])] = value
        if exact and isinstance(made, Sequence_):
            made.names = [key[1] for key in args[0].keys if isinstance(key, tuple)]
        return made
    return containers.make(run, "Sequential", args)


def _module_list(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if not args or (isinstance(args[0], Constant) and args[0].value is None):
        return containers.make(run, "ModuleList", [])
    if isinstance(args[0], Phi):
        each = collection_types.of_each(run, args[0], lambda one: _module_list(run, [one], kwargs, at))
        if each is not None:
            return each
    items = containers.items(run, args[0])
    if items is not None:
        return containers.make(run, "ModuleList", items)
    if isinstance(args[0], Sequence_):
        return containers.of_unknown_length(run, "ModuleList", args[0])
    return containers.make(run, "ModuleList", [], exact=False)


def _module_dict(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    made = Mapping_("ModuleDict")
    run.born[made] = run.inexact
    run.state.slots[(made, LENGTH)] = Constant(0)
    if args and isinstance(args[0], Sequence_):
        args = [run.call(Symbol("builtins.dict"), args[:1], {}, at)]
    if args:
        mappings.update(run, made, args[0])
    return made


def _grad(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.autograd.grad: run a backward; with `create_graph` the gradients depend on what the outputs do."""
    outputs = args[0] if args else kwargs.get("outputs", NONE)
    create = methods.flag(kwargs, "create_graph")
    retain = create or methods.flag(kwargs, "retain_graph")
    roots = run.tensors_within(outputs)
    run.takes_backward()
    inputs = args[1] if len(args) > 1 else kwargs.get("inputs", NONE)
    for _, tensor in run.tensors_within(inputs):
        known = grounds([tensor.storage])
        if len(known) == 1:
            known.pop().wanted = True
    ends = methods.wanted_by(run, inputs)
    nodes = [node for guard, tensor in roots for node in run.heap.nodes(tensor, guard)]
    if not ends or ends.isdisjoint(reach(nodes)):
        ends = None  # torch refuses inputs that nothing leads to: they are not known well enough
    run.heap.backward(roots, run.path, retain, ends, returns=True)
    result = Sequence_("fresh")  # one for each input
    element: Value
    if create:
        element = made = Unknown()
        made.nodes, made.returned, made.of_module, made.behind = roots, True, True, 0
    else:
        element = gradient = run.new_tensor("gradient", NEVER, at)
        gradient.contiguous = gradient.dense = False
        if methods.flag(kwargs, "allow_unused"):  # it may be None
            element = missing = Unknown()
            missing.tensor = gradient
    run.put(result, ANY, element)
    return result


def _autograd_backward(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    retain = methods.flag(kwargs, "retain_graph") or methods.flag(kwargs, "create_graph")
    run.takes_backward()
    roots = [found for value in args[:1] for found in run.tensors_within(value)]
    inputs = args[5] if len(args) > 5 else kwargs.get("inputs")
    run.heap.backward(roots, run.path, retain, methods.wanted_by(run, inputs))
    return NONE


def _vector_to_parameters(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """vector_to_parameters(vector, parameters): the `.data` of each parameter becomes a view of the vector."""
    owners: list[Value] = []
    for value in args[1:2]:
        owners_in(run, value, owners)
    run.steps.of_unknown = run.steps.of_unknown or any(isinstance(owner, Unknown) for owner in owners)
    for owner in owners:
        for weights in weights_of(run, owner):
            run.found.writes.append(
                run.heap.replace(weights.storage, run.path, "vector_to_parameters", run.place(at))
            )
    return NONE


def _grad_enabled(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    if run.grad != "on":
        return Constant(False) if run.grad in ("off", "inference") else Scalar()
    test = run.test(("grad enabled",))
    run.asked.enabled |= 1 << test.bit
    run.asked.times += 1
    return test


def _inference_enabled(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    run.asked.times += 1
    return Scalar() if run.grad == "unknown" else Constant(run.grad == "inference")


def _first(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """torch.compile, torch.jit.script: their argument; with options only, a decorator that returns the function."""
    if args:
        return args[0]
    return Native(lambda run, inner, kwargs, at: inner[0] if inner else Unknown())


def _normed(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """weight_norm(layer), spectral_norm(layer): the layer itself, whose `weight` is no leaf any more."""
    layer = args[0] if args else kwargs.get("module", Unknown())
    for atom in flatten(layer):
        if isinstance(atom, TorchModule) and atom.weights is not None:
            atom.weights.storage.leaf = False
    return layer


def _cache(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """functools.lru_cache(maxsize=…): the same as functools.cache, which `cached` models."""
    return Symbol("functools.cache")


def _legacy_constructor(kind: str) -> Play:
    """torch.Tensor([…]), torch.LongTensor(…): a new leaf that never requires grad."""
    dtype = "?" if kind == "Byte" else TENSOR_TYPES.get(f"{kind}Tensor") or "?"  # bytes may be a mask

    def play(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        made = run.new_tensor("factory", NEVER, at, dtype=dtype)
        if args and isinstance(args[0], Sequence_):
            made.storage.has_axes, made.sizes = True, axes.of_literal(run, args[0])
            contents.note_literal(run, made, args[0])
        return made

    return play


#: The parameters of functions that take an argument by position or by name, as `inspect.signature` gives them.
PARAMETERS = {
    dotted: tuple(names.split())
    for dotted, names in {
        "torch.nn.Parameter": "data requires_grad",
        "torch.nn.ModuleList": "modules",
        "torch.nn.ParameterList": "values",
        "torch.nn.ModuleDict": "modules",
        "torch.nn.ParameterDict": "parameters",
        "torch.nn.utils.vector_to_parameters": "vec parameters",
        "torch.from_dlpack": "ext_tensor",
        "torch.utils.dlpack.from_dlpack": "ext_tensor",
        "torch.autograd.grad": "outputs inputs grad_outputs retain_graph create_graph only_inputs allow_unused "
        "is_grads_batched",
        "torch.autograd.backward": "tensors grad_tensors retain_graph create_graph grad_variables inputs",
        "torch.autograd.graph.saved_tensors_hooks": "pack_hook unpack_hook",
        "torch.compile": "model",
        "torch.func.functional_call": "module parameter_and_buffer_dicts args kwargs",
        "torch.nn.utils.stateless.functional_call": "module parameters_and_buffers args kwargs",
        "torch.jit.script": "obj",
        "torch.jit.export": "fn",
    }.items()
}


def _wraps(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """functools.wraps(function): the decorated function gets its name."""

    def wrap(run: Run, inner: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
        if inner and args and isinstance(inner[0], FunctionValue):
            inner[0].wraps = args[0]
        return inner[0] if inner else NONE

    return Native(wrap)


def play(
    run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value | None:
    """The result of a modelled function; None if there is no model of it."""
    model = INTRINSICS.get(dotted)
    if model is None:
        return None
    if dotted in PARAMETERS:
        args, kwargs = binding.completed(PARAMETERS[dotted], args, kwargs)
    return model(run, args, kwargs, at)


#: The model of each function, by its dotted name.
INTRINSICS: dict[str, Play] = {
    **builtin.INTRINSICS,
    "torch.nn.Parameter": _parameter,
    "torch.autograd.Variable": _variable,
    "torch.nn.Sequential": _sequential,
    "torch.nn.ModuleList": _module_list,
    "torch.nn.ParameterList": _module_list,
    "torch.nn.ModuleDict": _module_dict,
    "torch.nn.ParameterDict": _module_dict,
    "torch.from_numpy": arrays.shared_tensor,
    "torch.from_dlpack": arrays.shared_tensor,
    "torch.utils.dlpack.from_dlpack": arrays.shared_tensor,
    "torch.to_dlpack": arrays.capsule,
    "torch.utils.dlpack.to_dlpack": arrays.capsule,
    "torch.as_tensor": arrays.as_tensor,
    "torch.asarray": arrays.as_tensor,
    "torch.nn.utils.vector_to_parameters": _vector_to_parameters,
    **dict.fromkeys(CLIPPING, optimizers.clip),
    "torch.autograd.grad": _grad,
    "torch.autograd.backward": _autograd_backward,
    "torch.utils.checkpoint.checkpoint": version_checks.checkpoint,
    "torch.autograd.graph.saved_tensors_hooks": version_checks.hooks,
    "torch.autograd.graph.save_on_cpu": version_checks.copies,
    "torch.autograd.graph.allow_mutation_on_saved_tensors": version_checks.copies,
    "torch.autograd._unsafe_preserve_version_counter": version_checks.keeps_version,
    "torch.is_grad_enabled": _grad_enabled,
    "torch.is_inference_mode_enabled": _inference_enabled,
    "functools.wraps": _wraps,
    "functools.lru_cache": _cache,
    "torch.compile": _first,
    "torch.func.functional_call": functional_modules.call,
    "torch.nn.utils.stateless.functional_call": functional_modules.call,
    **dict.fromkeys(NORMED, _normed),
    "torch.jit.script": _first,
    "torch.jit.ignore": _first,
    "torch.jit.export": _first,
    "torch.is_tensor": lambda run, args, kwargs, at: instances.is_tensor(run, args),
    **{
        f"torch.{kind}Tensor": _legacy_constructor(kind)
        for kind in (
            "",
            "Float",
            "Double",
            "Half",
            "BFloat16",
            "Long",
            "Int",
            "Short",
            "Byte",
            "Char",
            "Bool",
        )
    },
}
