"""Models functions and layers of einops: translates each pattern into the torch ops that einops runs for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import recipes, table
from . import containers, external_modules, iterators, ops
from .joins import join
from .storage import DOES
from .values import ANY, Constant, Scalar, Sequence_, Tensor, Text, TorchModule, Unknown, Value, alternatives

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from .run import Run


def call(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """Models a call of an einops function, or of the class of one of its layers."""
    play = _FUNCTIONS.get(dotted)
    if play is not None:
        return play(run, args, kwargs, at)
    if dotted in _LAYERS:
        return _layer(run, dotted, args, kwargs, at)
    return external_modules.result_of(run, args, kwargs)


def _given(args: Sequence[Value], kwargs: Mapping[str, Value], *names: str) -> list[Value]:
    """The arguments for the parameters of these names; unknown where one is missing."""
    return [args[i] if i < len(args) else kwargs.get(name, Unknown()) for i, name in enumerate(names)]


def _text(value: Value) -> str | None:
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None


def _lengths(kwargs: Mapping[str, Value]) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for name, value in kwargs.items():
        number = value.value if isinstance(value, Constant) else None
        found[name] = number if type(number) is int else None
    return found


def _rearrange(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    value, pattern = _given(args, kwargs, "tensor", "pattern")
    return _transformed(run, value, pattern, None, kwargs, at)


def _reduce(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    value, pattern, reduction = _given(args, kwargs, "tensor", "pattern", "reduction")
    return _transformed(run, value, pattern, reduction, kwargs, at)


def _transformed(
    run: Run,
    value: Value,
    pattern: Value,
    reduction: Value | None,
    kwargs: Mapping[str, Value],
    at: ast.AST,
) -> Value:
    """Applies the torch ops of a pattern to a value; `reduction` is None for `rearrange` and `repeat`."""
    if type(value) in (Scalar, Text):
        return Scalar()
    if isinstance(value, (Sequence_, iterators.Iteration)):
        stack = table.function("torch.stack")
        value = Unknown() if stack is None else ops.apply(run, stack, [value], {}, at)
    text = _text(pattern)
    name = None if reduction is None else _text(reduction) or ""
    steps = None if text is None else recipes.recipe(text, _lengths(kwargs), name)
    if steps is None:
        if reduction is not None:
            return external_modules.result_of(run, [value], {})
        return _method(run, "reshape", value, None, at)
    whole = all(
        tensor.contiguous
        or (tensor.cut is not None and text is not None and not recipes.merges_across(text, tensor.cut))
        for _, tensor in run.tensors(value)
    )
    turned = any(tensor.strided or tensor.swapped for _, tensor in run.tensors(value))
    for step in steps:
        if step.name:
            value = _step(run, step, value, whole, turned, at)
        elif reduction is not None:
            named = step.argument if isinstance(step.argument, tuple) else ()
            axes = [Scalar() if axis is None else Constant(axis) for axis in named]
            value = run.call(reduction, [value, containers.make(run, "tuple", axes)], {}, at)
        whole = whole and step.memory != recipes.NEW
    return value


def _step(run: Run, step: recipes.Step, value: Value, whole: bool, turned: bool, at: ast.AST) -> Value:
    """Applies one op of a pattern. `whole`: the tensor is contiguous, and no op so far has made a new one.

    `turned`: the tensor was permuted or strided before. Merging axes that are not adjacent makes a copy, but may give a
    view of a `turned` tensor.
    """
    if step.memory == recipes.SHARED_IF_WHOLE and whole:
        return _method(run, "view", value, step.argument, at)
    result = _method(run, step.name, value, step.argument, at)
    if step.name != "reshape" or not (
        step.memory == recipes.COPIED or (step.memory == recipes.COPIED_IF_WHOLE and not turned)
    ):
        return result
    before = {tensor.storage for _, tensor in run.tensors(value)}
    new = [
        (run.path, atom)
        for _, atom in alternatives(result)
        if not (isinstance(atom, Tensor) and atom.storage in before)
    ]
    return join(new) if new else result


def _method(
    run: Run, name: str, value: Value, argument: tuple[int | None, ...] | int | None, at: ast.AST
) -> Value:
    """Calls the method `value.name(argument)`; the argument is sizes or axes, with None for an unknown number."""
    op = table.method(name)
    if op is None:
        return Unknown()
    # An argument that is None may be one number or several.
    given: Value = Unknown() if name in recipes.REDUCTIONS.values() else Scalar()
    if isinstance(argument, tuple):
        given = containers.make(run, "tuple", [_number(one) for one in argument])
    elif argument is not None:
        given = Constant(argument)
    return ops.apply(run, op, [value, given], {}, at, function=False)


def _number(value: int | None) -> Value:
    if value is not None:
        return Constant(value)
    number = Scalar()
    number.number = True
    return number


def _einsum(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`einops.einsum(*tensors, pattern)`, as `torch.einsum` with the pattern's equation."""
    *tensors, pattern = args or [Unknown()]
    text = _text(pattern)
    equation = None if text is None else recipes.equation(text)
    op = table.function("torch.einsum")
    if equation is None or op is None:
        return external_modules.result_of(run, args, kwargs)
    return ops.apply(run, op, [Constant(equation), *tensors], {}, at)


def _pack(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`einops.pack(tensors, pattern)`: concatenates the tensors; also returns their shapes, which `unpack` takes."""
    tensors, _ = _given(args, kwargs, "tensors", "pattern")
    op = table.function("torch.cat")
    packed = Unknown() if op is None else ops.apply(run, op, [tensors], {}, at)
    known = containers.spread(run, tensors)
    shapes: Value = Scalar()
    if known is not None:
        shapes = containers.make(run, "list", [Scalar() for _ in known])
    return containers.make(run, "tuple", [packed, shapes])


def _unpack(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    """`einops.unpack(tensor, packed_shapes, pattern)`: a list with one view of the tensor for each shape."""
    tensor, shapes, _ = _given(args, kwargs, "tensor", "packed_shapes", "pattern")
    op = table.operator("[]")
    if op is None:
        return Unknown()

    def part() -> Value:
        return ops.apply(run, op, [tensor, Constant(0)], {}, at, function=False)

    count = containers.length(run, shapes)
    if count is not None and count <= _PARTS:
        return containers.make(run, "list", [part() for _ in range(count)])
    sequence = Sequence_("unknown")
    run.put(sequence, ANY, part())
    return sequence


#: A list with more parts than this is modelled as one of unknown length.
_PARTS = 8


def _parse_shape(run: Run, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    return Scalar()


def _layer(run: Run, dotted: str, args: Sequence[Value], kwargs: Mapping[str, Value], at: ast.AST) -> Value:
    names = _LAYERS[dotted]
    config = {**dict(zip(names, args)), **kwargs}
    weights = run.new_tensor("parameter", DOES, at, leaf=True) if "weight_shape" in names else None
    return TorchModule(dotted, config, weights, run.place(at))


def call_layer(run: Run, module: TorchModule, args: Sequence[Value], at: ast.AST) -> Value | None:
    """Models a call of an einops layer; None for a module of another package."""
    names = _LAYERS.get(module.name)
    if names is None or not args:
        return None
    given = [module.config.get(name, Unknown()) for name in names]
    lengths = {name: value for name, value in module.config.items() if name not in names}
    if module.weights is None:
        return _transformed(run, args[0], given[0], given[1] if len(given) > 1 else None, lengths, at)
    pattern, shape = _text(given[0]), _text(given[1])
    parts = None if pattern is None or shape is None else recipes.mix(pattern, shape)
    op = table.function("torch.einsum")
    if parts is None or op is None:
        return external_modules.result_of(run, [*args, module.weights], {})
    value = _transformed(run, args[0], Constant(parts[0]), None, lengths, at)
    value = ops.apply(run, op, [Constant(parts[1]), value, module.weights], {}, at)
    return _transformed(run, value, Constant(parts[2]), None, {}, at)


_FUNCTIONS = {
    "einops.rearrange": _rearrange,
    "einops.repeat": _rearrange,
    "einops.reduce": _reduce,
    "einops.einsum": _einsum,
    "einops.pack": _pack,
    "einops.unpack": _unpack,
    "einops.parse_shape": _parse_shape,
}
#: The layer classes, with the constructor parameters that come before the lengths of axes.
_LAYERS = {
    "einops.layers.torch.Rearrange": ("pattern",),
    "einops.layers.torch.Reduce": ("pattern", "reduction"),
    "einops.layers.torch.EinMix": ("pattern", "weight_shape", "bias_shape"),
}
