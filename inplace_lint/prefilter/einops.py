"""Models functions and layers of einops as the torch ops that their pattern stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..torchmodel import recipes, table
from . import effects
from .arguments import unknown
from .atoms import NOTHING, Box, Layer, Partial, Symbol, Text

if TYPE_CHECKING:
    from .arguments import Call
    from .atoms import Atoms


def _given(made: Call, place: int, name: str) -> Atoms:
    return made.args[place] if place < len(made.args) else made.kwargs.get(name, NOTHING)


def _text(value: Atoms) -> str | None:
    return value[0].value if len(value) == 1 and isinstance(value[0], Text) else None


def _rearrange(made: Call) -> Atoms:
    return _transformed(made, _given(made, 0, "tensor"), _given(made, 1, "pattern"), None)


def _reduce(made: Call) -> Atoms:
    reduction = _given(made, 2, "reduction")
    return _transformed(made, _given(made, 0, "tensor"), _given(made, 1, "pattern"), reduction)


def _transformed(made: Call, value: Atoms, pattern: Atoms, reduction: Atoms | None) -> Atoms:
    stack = table.function("torch.stack")
    if any(isinstance(atom, Box) for atom in value) and stack is not None:
        value = effects.apply(made.scope, stack, [value], [], {}, {}, proves=True)
    text = _text(pattern)
    name = None if reduction is None else _text(reduction) or ""
    steps = None if text is None else recipes.recipe(text, {}, name)
    if steps is None:
        return _method(made, "reshape", value) if reduction is None else unknown(made)
    for step in steps:
        if step.name:
            value = _method(made, step.name, value)
        elif reduction is not None:
            value = made.calls(reduction, [value, NOTHING])
    return value


def _method(made: Call, name: str, value: Atoms) -> Atoms:
    op = table.method(name)
    if op is None or not value:
        return NOTHING
    return effects.apply(made.scope, op, [value, NOTHING], [None, None], {})


def _einsum(made: Call) -> Atoms:
    op = table.function("torch.einsum")
    if op is None or not made.args:
        return unknown(made)
    args = [made.args[-1], *made.args[:-1]]
    return effects.apply(made.scope, op, args, [None] * len(args), {}, {}, proves=True)


def _pack(made: Call) -> Atoms:
    op = table.function("torch.cat")
    if op is None:
        return unknown(made)
    joined = effects.apply(made.scope, op, [_given(made, 0, "tensors")], [None], {}, {}, proves=True)
    return (Box([joined, NOTHING]),)


def _unpack(made: Call) -> Atoms:
    return (Box([_given(made, 0, "tensor")], ordered=False),)


def _plain(made: Call) -> Atoms:
    return NOTHING


def _layer(made: Call) -> Atoms:
    """The layer as a partial call of its function, which lacks only the tensor."""
    return (Partial((Symbol("einops.Rearrange.forward"),), made.args[:1], {**made.kwargs}),)


def _rearrange_layer(made: Call) -> Atoms:
    pattern, *given = made.args or [NOTHING]
    return _transformed(made, given[0] if given else NOTHING, pattern, None)


def _reducing_layer(made: Call) -> Atoms:
    given = [_given(made, 0, "pattern"), _given(made, 1, "reduction")]
    return (Partial((Symbol("einops.Reduce.forward"),), given, {}),)


def _reduce_layer(made: Call) -> Atoms:
    pattern, reduction, *given = [*made.args, NOTHING, NOTHING][: max(2, len(made.args))]
    return _transformed(made, given[0] if given else NOTHING, pattern, reduction)


def _mixing_layer(made: Call) -> Atoms:
    """EinMix saves its input for the gradient of its weight, as a linear layer does."""
    return (Layer("torch.nn.Linear", {}),)


INTRINSICS = {
    "einops.rearrange": _rearrange,
    "einops.repeat": _rearrange,
    "einops.reduce": _reduce,
    "einops.einsum": _einsum,
    "einops.pack": _pack,
    "einops.unpack": _unpack,
    "einops.parse_shape": _plain,
    "einops.layers.torch.Rearrange": _layer,
    "einops.layers.torch.Reduce": _reducing_layer,
    "einops.layers.torch.EinMix": _mixing_layer,
    "einops.Rearrange.forward": _rearrange_layer,
    "einops.Reduce.forward": _reduce_layer,
}
