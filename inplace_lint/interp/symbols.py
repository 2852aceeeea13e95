"""Models calls of imported names: ops and layers of torch by the tables, grad modes, declared functions, intrinsics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import keywords, table
from ..torchmodel.spelling import INTRINSIC_OPS, KERNELS, MAKERS, MODES
from . import (
    arrays,
    axes,
    builtin,
    concrete,
    distributions,
    einops,
    exceptions,
    external_modules,
    grad_mode,
    intrinsics,
    module_lists,
    ops,
    own_operators,
    results,
)
from .event import Event
from .iterators import Iteration
from .optimizers import note_parameters
from .storage import DOES, MAY, NEVER
from .values import (
    Constant,
    FunctionValue,
    Optimizer,
    Scalar,
    Sequence_,
    Symbol,
    Tensor,
    TorchModule,
    Unknown,
    Value,
)
from .weights import owners_in

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from ..torchmodel.module import Module
    from ..torchmodel.op import Op
    from .run import Run


def call(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """dotted(*args, **kwargs)."""
    decorator = _of_operators(dotted, args)
    if decorator is not None:
        return decorator
    declared = run.program.declared.function(dotted, run.frame.module)
    if declared is not None and args and isinstance(args[0], FunctionValue):
        return Symbol(dotted)  # `custom_op(…)(function)`
    if declared is not None:
        run.declared.told[at] = run.program.declared.said_of(dotted, run.frame.module), run.frame.module
        return ops.apply(run, declared, args, kwargs, at)
    layer = run.program.declared.layer(dotted)
    if layer is not None:
        return _layer(run, layer, dotted, {}, at)
    methods = run.program.declared.methods(dotted)
    if methods:
        return _with_methods(run, dotted, methods)
    if dotted.startswith("torch.") and dotted not in INTRINSIC_OPS:
        op = table.function(dotted)
        if op is not None:
            return _operation(run, op, dotted, args, kwargs, at)
    played = intrinsics.play(run, dotted, args, kwargs, at)
    if played is not None:
        if isinstance(played, Iteration):
            played.over = (*args, *kwargs.values())
        return played
    converted = own_operators.converted(run, dotted, args, at)
    if converted is not None:
        return converted
    known = concrete.fold(run, dotted, args, kwargs, at) or concrete.rewritten(run, dotted, args, kwargs, at)
    if known is not None:
        return known
    if dotted in MODES:
        made = grad_mode.of(dotted, args, kwargs)
        if MODES[dotted] == "flag" and made.grad is not None:
            made.before, run.grad = (
                run.grad,
                made.grad,
            )  # it takes effect at the call; as a context manager it restores the mode at exit
        return made
    head = dotted.partition(".")[0]
    if exceptions.is_error(dotted):
        return exceptions.made(run, dotted, args)
    if head == "torch":
        return _torch(run, dotted, args, kwargs, at)
    if head == "builtins":
        return builtin.other(run, dotted, args)
    if head == "numpy":
        return arrays.call(run, dotted, args, kwargs, at)
    if head == "einops":
        return einops.call(run, dotted, args, kwargs, at)
    if head in ("math", "random", "time", "logging", "warnings", "os", "json", "re"):
        return Scalar()
    result = module_lists.made(run, args, at) or external_modules.result_of(run, args, kwargs)
    note_parameters(run, result, args, kwargs)
    return result


def _of_operators(dotted: str, args: Sequence[Value]) -> Value | None:
    """What a maker of custom operators, or of an implementation of one, is as a decorator; None for any other call."""
    space, _, name = dotted.rpartition(".")
    if dotted in MAKERS and args and isinstance(args[0], Constant):
        # The operator, of which all is declared, stands for the function.
        return Symbol(f"torch.ops.{str(args[0].value).replace('::', '.')}")
    if name in KERNELS and space == "torch.library":
        return grad_mode.Mode("unknown")
    return None


def _operation(
    run: Run, op: Op, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST
) -> Value:
    """Call a function of the op table."""
    result = ops.apply(run, op, args, kwargs, at)
    if isinstance(result, Tensor) and args and dotted == "torch.tensor":
        if isinstance(args[0], Sequence_):
            result.storage.has_axes = True
            result.sizes = axes.of_literal(run, args[0])
        elif isinstance(args[0], (Constant, Scalar)):
            result.sizes = ()
    return _factory(run, result, kwargs)


def _torch(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Call a name of torch that is no op: an unbound method, an optimizer, a layer, or an unknown function."""
    if dotted.startswith("torch.Tensor."):
        op = table.method(dotted.rpartition(".")[2])
        return Unknown() if op is None else ops.apply(run, op, args, kwargs, at)
    if dotted.startswith("torch.optim.") and not dotted.startswith("torch.optim.lr_scheduler."):
        return _optimizer(run, dotted, args, kwargs)
    module = table.module(dotted)
    if module is not None:
        config = {param.name: value for param, value in zip(module.params, args)}
        config.update(kwargs)
        if not kwargs.keys() <= keywords.MODULE_KEYWORDS:
            return Unknown()  # the call raises, or the name is that of another class
        made = _layer(run, module, dotted, config, at)
        if made.weights is not None and not kwargs.keys() & {"dtype", "device"}:
            run.keep_dtype(made.weights.storage, "float32")
        return made
    if dotted.startswith("torch.set_default_"):
        run.forget_dtypes()
    if table.lacks(dotted):
        storage = run.new_tensor("result", NEVER, at).storage
        missing = Event("unknown-op", run.place(at), run.path, dotted, storage, DOES, None)
        missing.modeless = True
        run.found.events.append(missing)
    if dotted.startswith("torch.distributions."):
        return distributions.made(run, args, kwargs)
    return external_modules.result_of(run, args, kwargs)


def _with_methods(run: Run, dotted: str, names: Sequence[str]) -> Value:
    """An object of a class outside the project with declared methods."""
    made = Unknown()
    for name in names:
        run.bottom().slots[(made, "member", name)] = Symbol(f"{dotted}.{name}")
    return made


def _layer(run: Run, module: Module, dotted: str, config: dict[str, Value], at: ast.AST) -> TorchModule:
    """A new layer with its parameters."""
    weights = None
    if module.has_weights({name: ops.kind(run, value) for name, value in config.items()}):
        weights = run.new_tensor("parameter", DOES, at, leaf=True)
        weights.storage.initialised = True
    made = TorchModule(dotted, config, weights, run.place(at))
    run.several.repeated.made += 1
    made.loop = run.within[-1] if run.within else None
    return made


def _factory(run: Run, result: Value, kwargs: Mapping[str, Value]) -> Value:
    """Apply the options of a factory (`dtype=`, `device=`, `requires_grad=`) to its result."""
    if not isinstance(result, Tensor) or result.storage.origin != "factory":
        return result
    if "device" in kwargs:
        result.storage.device = "?"
    dtype = kwargs.get("dtype")
    if dtype is not None:
        result.storage.dtype = results.dtype_of(dtype)
    wanted = kwargs.get("requires_grad")
    if wanted is not None and not (isinstance(wanted, Constant) and not wanted.value):
        storage = result.storage
        storage.become_leaf()
        storage.grad = DOES if isinstance(wanted, Constant) else MAY
        storage.origin = "parameter" if storage.grad == DOES else "factory"
    return result


def _optimizer(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:
    """A new optimizer of torch."""
    given = args[0] if args else kwargs.get("params", Unknown())
    owners: list[Value] = []
    owners_in(run, given, owners)
    fused = kwargs.get("fused")
    return Optimizer(
        dotted.rpartition(".")[2],
        owners,
        isinstance(fused, Constant) and bool(fused.value),
    )
