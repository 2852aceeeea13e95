"""Evaluates attribute access, `obj.name`, and attribute assignment, `obj.name = value`, by the kind of the object."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..torchmodel import classes as torch_classes
from ..torchmodel import layout, table
from ..torchmodel.spelling import MODULE_DICTS
from . import (
    arrays,
    classes,
    container_methods,
    containers,
    contexts,
    data_classes,
    decorators,
    dynamic_names,
    external_modules,
    generators,
    grad_mode,
    holding,
    instances,
    layers,
    lookup,
    methods,
    module_parts,
    names,
    operators,
    ops,
    optimizers,
    requires_grad,
    strings,
    unmodeled,
    wrapped_results,
)
from .class_value import ClassValue
from .event import Event
from .grad_mode import Mode
from .guards import both, either
from .joins import join
from .storage import DOES, NEVER
from .values import (
    ABSENT,
    Array,
    Bound,
    Constant,
    FunctionValue,
    Instance,
    Mapping_,
    Native,
    Optimizer,
    OpValue,
    Parameters,
    Phi,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    Test,
    TorchModule,
    Unknown,
    Value,
)
from .weights import is_replaced, weights_of

if TYPE_CHECKING:
    import ast

    from ..torchmodel.op import Op
    from .guards import Guard
    from .run import Run

#: Method names that arrays, strings and containers have too: calling one says nothing about the receiver.
#: (What numpy.ndarray adds to the builtin types; a test compares it with numpy.)
_ARRAY_METHODS = frozenset(
    "all any argmax argmin argsort clip conj cumprod cumsum diagonal dot flatten item max mean min nonzero prod put "
    "ravel repeat reshape resize round sort squeeze std sum swapaxes take tolist trace transpose var view T real imag "
    "shape size ndim dtype device data flat astype fill".split()
)
#: Methods of dicts. Sparse tensors have `values` too, but the receiver is far more often a dict.
_DICT_METHODS = frozenset(name for name in vars(dict) if not name.startswith("_"))
_SHARED_METHODS = _ARRAY_METHODS.union(*map(vars, (str, bytes, list, dict, set, int, float, complex)))


def get(run: Run, obj: Value, name: str, at: ast.AST) -> Value:
    """The value of obj.name."""
    if isinstance(obj, Phi):
        obj = external_modules.network_of(run, obj, name) or obj
    if isinstance(obj, Phi):
        results = []
        path = run.path
        for guard, atom in run.live(obj):
            run.path = guard
            results.append((guard, _get(run, atom, name, at)))
        run.path = path
        return join(_of_one_op(results)) if results else Unknown()
    return _get(run, obj, name, at)


def _of_one_op(results: list[tuple[Guard, Value]]) -> list[tuple[Guard, Value]]:
    """The alternatives of a method, those that are one op of several tensors as one: a call has one result."""
    receivers: dict[Op, list[tuple[Guard, Value]]] = {}
    others: list[tuple[Guard, Value]] = []
    for guard, value in results:
        if isinstance(value, Bound) and isinstance(value.func, OpValue):
            receivers.setdefault(value.func.op, []).append((guard, value.args[0]))
        else:
            others.append((guard, value))
    for op, held in receivers.items():
        guard = held[0][0]
        for other, _ in held[1:]:
            guard = either(guard, other)
        others.append((guard, Bound(OpValue(op), [join(held)], {})))
    return others


def _get(run: Run, obj: Value, name: str, at: ast.AST) -> Value:
    if name == "__class__":
        return instances.class_of(obj) or run.scalar(("type", obj))
    if isinstance(obj, Instance):
        return classes.of_instance(run, obj, name, at)
    if isinstance(obj, Tensor):
        return _of_tensor(run, obj, name, at)
    if isinstance(obj, Unknown):
        return _of_unknown(run, obj, name, at)
    if isinstance(obj, Symbol):
        return names.of_dotted(run, obj.dotted, name)
    if isinstance(obj, names.ModuleValue):
        return names.of_module(run, obj.module, name)
    if isinstance(obj, TorchModule):
        return _of_module(run, obj, name)
    if isinstance(obj, (Sequence_, Mapping_)):
        return module_parts.attribute(run, obj, name, at) or container_methods.of(run, obj, name)
    if isinstance(obj, ClassValue):
        return classes.of_class(run, obj, name)
    if isinstance(obj, Mode) and name in ("__enter__", "__exit__"):
        return Native(lambda run, args, kwargs, at: _enter_by_hand(run, obj, name))
    if isinstance(obj, Scalar):
        return _of_scalar(run, obj, name)
    return _of_rarer(run, obj, name, at)


def _of_rarer(run: Run, obj: Value, name: str, at: ast.AST) -> Value:
    """The value of obj.name for a constant, a function, parameters, and other kinds that have few attributes."""
    if obj in run.entering.generators and name == "close":
        return Native(lambda run, args, kwargs, at: generators.close(run, obj, at))
    if obj in run.entering.generators and name == "send":
        return Native(
            lambda run, args, kwargs, at: generators.send(run, obj, args[0] if args else Unknown(), at)
        )
    if isinstance(obj, contexts.Context):
        return contexts.attribute(run, obj, name) or Unknown()
    if isinstance(obj, Constant) and name == "value":
        return obj  # of a member of an enum of strings or numbers
    if isinstance(obj, Constant):
        known = (
            strings.method(obj.value, name)
            if isinstance(obj.value, (str, bytes, re.Pattern, re.Match))
            else None
        )
        return Scalar() if known is None else known
    if isinstance(obj, Parameters):
        tensor = run.as_tensor(obj)
        return Unknown() if tensor is None else _of_tensor(run, tensor, name, at)
    if isinstance(obj, classes.Super):
        return classes.of_super(run, obj, name)
    if isinstance(obj, FunctionValue):
        return decorators.attribute(run, obj, name, at)
    if isinstance(obj, Optimizer):
        return optimizers.attribute(run, obj, name)
    return Unknown()


def _of_scalar(run: Run, obj: Scalar, name: str) -> Value:
    """An attribute of a number, an array or another value that is no tensor."""
    if isinstance(obj, Array):
        found = arrays.attribute(run, obj, name)
        if found is not None:
            return found
    if name == "astype":
        return Native(lambda *_: Array())  # only arrays have it
    if isinstance(obj, Test) and name.endswith("_") and table.method(name) is not None:
        run.root.takes_test_for_mask = True
    return dynamic_names.spelled(run, obj, name) or run.scalar(("attribute", obj, name))


def _enter_by_hand(run: Run, mode: Mode, name: str) -> Value:
    """Models explicit calls of `mode.__enter__()` and `mode.__exit__(…)`."""
    if name == "__enter__":
        mode.before = run.grad
        grad_mode.apply(run, mode)
    elif mode.before is not None:
        run.grad, mode.before = mode.before, None
    return Constant(None)


def _of_tensor(run: Run, tensor: Tensor, name: str, at: ast.AST) -> Value:
    if run.found.observed:
        holding.asked(run, tensor, name, at)
    if name == "requires_grad":
        return requires_grad.get(run, tensor)
    if name == "is_leaf":
        if tensor.graph.leaf:
            return Constant(True)
        return operators.unary(run, "not", requires_grad.get(run, tensor), at)
    if name == "grad":
        return run.member(tensor.storage, "grad")  # type: ignore[arg-type]  # no value, but what all aliases have in common
    native = methods.of_tensor(run, tensor, name)
    if native is not None:
        return native
    member = run.state.get((tensor, "member", name))
    if member is not None:
        return member
    op = table.property_(name)
    if op is not None:
        return ops.apply(run, op, [tensor], {}, at, function=False)
    op = table.method(name)
    if op is not None:
        return Bound(OpValue(op), [tensor], {})
    if table.exists_method(name):
        return run.scalar(("attribute", tensor, name))
    network = external_modules.network_of(run, tensor, name)
    if network is not None:
        return methods.of_unknown(run, network, name) or run.member(network, name)
    # Only the result of an op is certainly a plain tensor, and not one of a subclass that has such a method.
    made = tensor.storage.proved and tensor.storage.origin in ("result", "factory")
    if made and name.endswith("_") and table.names_op(name[:-1]):
        missing = Event("unknown-op", run.place(at), run.path, name, tensor.storage, DOES, None)
        missing.modeless = True
        run.found.events.append(missing)
    if is_replaced(run, at):
        return run.new_tensor("parameter", DOES, at, leaf=True)
    owner, taken = tensor.storage.value, tensor.taken
    if owner is not None and owner.of_module and owner.tensor is tensor:
        return run.member(owner, name)  # a network of another package returns an object: `net(x).logits`
    if owner is None or taken is None or tensor.storage.proved:
        return Unknown()
    return run.member(owner, (taken.key, name))  # `a[i].b`: an element of what may be a list of objects


def _of_unknown(run: Run, obj: Unknown, name: str, at: ast.AST) -> Value:
    known = run.state.get((obj, "member", name))
    if known is not None:
        return known
    if obj.tensor is not None and obj.tensor.storage.proved:
        return _of_tensor(run, obj.tensor, name, at)
    if name == "astype":
        method = Native(lambda *_: Array())
        run.handed.fields[method] = obj, name
        return method
    if name in MODULE_DICTS:
        held = Mapping_()
        containers.fill(run, held, Unknown(obj))
        run.bottom().slots[(obj, "member", name)] = held
        return held
    if name in ("requires_grad", "grad_fn", "is_leaf"):
        tensor = run.as_tensor(obj)
        if tensor is not None and name == "requires_grad":
            tensor.storage.prove()
            return requires_grad.get(run, tensor)
    native = methods.of_unknown(run, obj, name)
    if native is not None:
        run.handed.fields[native] = obj, name
        return native
    op = None if name in _DICT_METHODS else table.method(name)
    if op is not None:
        if name not in _SHARED_METHODS and not name.startswith("__"):
            tensor = run.as_tensor(obj)
            if tensor is not None and name.endswith("_"):
                return Bound(OpValue(op), [obj], {})
        return Bound(OpValue(op), [obj], {})
    if name in ("shape", "dtype", "device", "ndim"):
        return run.scalar(("attribute", obj, name))
    op = table.property_(name)
    if op is not None and name != "grad":
        part = ops.apply(run, op, [obj], {}, at, function=False)
        if part is not obj.tensor:
            run.handed.fields[part] = obj, name
        return part
    if is_replaced(run, at):
        run.set_member(obj, name, run.new_tensor("parameter", DOES, at, leaf=True))
    field = run.member(obj, name)
    run.handed.fields[field] = obj, name
    return field


def is_shared(name: str) -> bool:
    """Whether arrays, strings or containers have a method of this name."""
    return name in _SHARED_METHODS


def proves_tensor(name: str) -> bool:
    """Whether only a tensor has a method of this name."""
    return name not in _SHARED_METHODS and not name.startswith("__") and table.method(name) is not None


#: What torch names the weights of recurrent layers, and those that `weight_norm` and `spectral_norm` make.
WEIGHTS = re.compile(r"(weight|bias)_(ih|hh|hr)_l\d+(_reverse)?|weight_(orig|g|v)|bias_orig")


def _of_module(run: Run, module: TorchModule, name: str) -> Value:
    if name == "training":
        return layers.training(run)
    owned = module.owns.get(name)
    if owned is not None:
        return owned
    native = methods.of_module(run, module, name)
    if native is not None:
        return native
    if (module.weights is not None and name in ("weight", "bias")) or WEIGHTS.fullmatch(name):
        if module.weights is None or not name.startswith("bias") or layout.saves_bias(module.name):
            return module.weights if module.weights is not None else Unknown()
        # The bias has memory of its own, which no op saves; its gradients are those of the weight.
        owned = module.owns[name] = module.weights.alias()
        owned.storage = run.new_tensor("parameter", DOES, None, leaf=True).storage
        return owned
    if name in ("running_mean", "running_var", "num_batches_tracked"):
        owned = module.owns[name] = run.new_tensor("buffer", NEVER, None)
        return owned
    declared = f"{module.name}.{name}"
    if run.program.declared.function(declared, run.frame.module) is not None:
        return Symbol(declared)
    return layers.argument(run, module, name) or Scalar()


def assign(run: Run, obj: Value, name: str, value: Value, at: ast.AST) -> None:
    """obj.name = value."""
    for guard, atom in run.live(obj):
        if name == "data" and _replace(run, atom, guard, at):
            continue
        if isinstance(atom, Instance):
            if atom.pending is not None:
                run.materialise(atom)
            if _set_by_code(run, atom, name, value, at) or data_classes.refuses(run, atom, name):
                continue
            classes.hide(run, atom, name, at)
            bound = wrapped_results.in_place(run, (atom, name), value)
            module_parts.put(run, atom, name, bound)
            if atom in run.root.outside:
                run.heap.escape(_differentiated(run, atom, name, bound, guard), guard)
        elif isinstance(atom, Parameters) and name == "requires_grad":
            stand_in = run.as_tensor(atom)
            if stand_in is not None:
                requires_grad.assign(run, stand_in, value)
        elif isinstance(atom, (Tensor, Unknown)):
            tensor = run.as_tensor(atom) if name == "requires_grad" else None
            if tensor is not None:
                requires_grad.assign(run, tensor, value)
            else:
                run.set_member(atom, name, value)
                if isinstance(atom, Unknown):
                    run.handed.stored.append((atom, name))
                # Nobody differentiates a gradient later, nor what a custom Function keeps.
                if name != "grad" and not unmodeled.is_context(run, atom):
                    within = run.tensors_within(value)
                    run.heap.escape([x for x in within if not unmodeled.is_counted_on(x[1], atom)], guard)
        elif isinstance(atom, (Sequence_, Mapping_)):
            module_parts.put(run, atom, name, value)
        elif isinstance(atom, (ClassValue, FunctionValue)):
            run.state.slots[(atom.source if isinstance(atom, FunctionValue) else atom, name)] = value
            run.heap.escape(run.tensors_within(value), guard)
        elif isinstance(atom, layers.EachLayer):
            for layer in atom.layers:
                _assign_to_layer(run, layer, name, value)
        elif isinstance(atom, TorchModule):
            _assign_to_layer(run, atom, name, value)


def _assign_to_layer(run: Run, layer: TorchModule, name: str, value: Value) -> None:
    """Sets an option of a layer of torch, or a tensor that it owns."""
    if torch_classes.keeps(layer.name, name):
        before = layers.argument(run, layer, name)
        if name not in layer.assigned and before is not None:
            run.bottom().slots[(layer, name)] = before
        layer.assigned.add(name)
        run.state.slots[(layer, name)] = value
    elif isinstance(value, Tensor):
        if name == "weight" and layer.weights is not None:
            layer.weights = value  # tied to another module's, or made by hand
        else:
            layer.owns[name] = value


def _set_by_code(run: Run, obj: Instance, name: str, value: Value, at: ast.AST) -> bool:
    """Whether the setter of a property, or `__set__` of a descriptor, takes the value; calls it."""
    hook = lookup.find(run, obj.cls.order(), "__setattr__")
    if isinstance(hook, Symbol):
        run.call(hook, [obj, Constant(name), value], {}, at)
        return True
    if isinstance(hook, FunctionValue) and hook.source not in run.entering.active:
        run.call(Bound(hook, [obj], {}), [Constant(name), value], {}, at)
        return True
    setter: Value | None = lookup.accessor(run, obj.cls.order(), name, "setter")
    if setter is not None:
        run.call(Bound(setter, [obj], {}), [value], {}, at)
        return True
    held = lookup.find(run, obj.cls.order(), name) if name in obj.cls.class_level() else None
    setter = lookup.find(run, held.cls.order(), "__set__") if isinstance(held, Instance) else None
    if setter is None:
        return False
    run.call(Bound(setter, [held or obj], {}), [obj, value], {}, at)
    return True


def delete(run: Run, obj: Value, name: str, at: ast.AST) -> None:
    """del obj.name"""
    for _, atom in run.live(obj):
        if isinstance(atom, Instance):
            deleter = lookup.accessor(run, atom.cls.order(), name, "deleter")
            if deleter is not None:
                run.call(Bound(deleter, [atom], {}), [], {}, at)
            else:
                run.put(atom, name, ABSENT)
        elif isinstance(atom, ClassValue):
            run.state.slots[(atom, name)] = Unknown()


def _differentiated(
    run: Run, obj: Instance, name: str, value: Value, guard: Guard
) -> list[tuple[Guard, Tensor]]:
    """The tensors in a stored value that a caller may call backward on; of a buffer, those that surely require grad."""
    tensors = run.tensors_within(value)
    if name not in obj.buffers:
        return tensors
    return [
        (g, tensor)
        for g, tensor in tensors
        if any(evidence == DOES for _, evidence in run.heap.gradients(tensor, both(guard, g)))
    ]


def _replace(run: Run, atom: Value, guard: Guard, at: ast.AST) -> bool:
    """Models `tensor.data = other`: saves of this tensor see other memory from here on. False if it is no tensor."""
    tensor = run.as_tensor(atom) if isinstance(atom, (Tensor, Parameters)) else None
    if isinstance(atom, Unknown) and atom.tensor is not None and atom.tensor.storage.is_tensor():
        tensor = atom.tensor
    if tensor is None:
        return False
    replaced = [tensor]
    if tensor.storage in run.several.stand_ins:
        replaced = [w for o in run.several.stand_ins[tensor.storage].owners for w in weights_of(run, o)]
    for each in replaced:
        run.found.writes.append(run.heap.replace(each.storage, guard, "data", run.place(at)))
        each.sizes = None
        run.forget_dtypes()
    return True
