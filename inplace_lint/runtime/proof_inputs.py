"""The inputs that a rewrite is tried on: other lengths and counts of heads, and masks that drop something."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch.utils._pytree import tree_map

from .inputs.call import Call
from .inputs.guess import parameters
from .inputs.trial import attempt
from .inputs.values import SIZES, Spec, realise


def variants(call: Call) -> Iterator[tuple[str, Call]]:
    yield "as given", call
    if call.factory is not None:
        return
    if "B" in call.names or "S" in call.names:
        yield "another batch and length", call.at(B=3, S=call.sizes["S"] // 2 + 3)
    specs = {name: one for name, one in _arguments(call).items() if isinstance(one, Spec)}
    floating = [one for one in specs.values() if one.floating]
    if len(floating) > 1:
        # The first is the queries': the others get another length.
        first = next(name for name, one in specs.items() if one.floating)
        yield (
            "keys of another length",
            _with(
                call, {name: _longer(one) for name, one in specs.items() if name != first and "S" in one.dims}
            ),
        )
    yield from _other_counts(call)
    for name, one in _masks(call).items():
        for kind in ("half", "a whole row", "none"):
            yield f"{name} drops {kind}", _with(call, {name: one})


def _other_counts(call: Call) -> Iterator[tuple[str, Call]]:
    """Half of a number that the constructor takes, such as heads; of the second axis of a function's tensors."""
    own = parameters(call.target) if inspect.isclass(call.target) else {}
    for name, parameter in own.items():
        value = call.constructor.get(name, parameter.default)
        if isinstance(value, int) and not isinstance(value, bool) and value > 1:
            other = replace(call, constructor={**call.constructor, name: value // 2})
            if attempt(other)[0] is None:
                yield f"{name} = {value // 2}", other
    if not own:
        halved = {
            name: Spec(one.dtype, (one.dims[0], one.dims[1] // 2, *one.dims[2:]), one.high)
            for name, one in _arguments(call).items()
            if isinstance(one, Spec)
            and len(one.dims) == 4
            and isinstance(one.dims[1], int)
            and one.dims[1] > 1
        }
        if halved and attempt(_with(call, halved))[0] is None:
            yield "another count of heads", _with(call, halved)


def _longer(spec: Spec) -> Spec:
    if spec.dtype == "bool" or not spec.floating:
        places = [place for place, dim in enumerate(spec.dims) if dim == "S"]
        dims = tuple("S+5" if place == places[-1] else dim for place, dim in enumerate(spec.dims))
        return Spec(spec.dtype, dims, spec.high)
    return Spec(spec.dtype, tuple("S+5" if dim == "S" else dim for dim in spec.dims), spec.high)


def _masks(call: Call) -> dict[str, Spec]:
    """The boolean arguments, and the parameters without a value that are called masks."""
    found = {
        name: one for name, one in _arguments(call).items() if isinstance(one, Spec) and one.dtype == "bool"
    }
    try:
        parameters = inspect.signature(call.signed()).parameters
    except (TypeError, ValueError):
        return found
    main = next((one for one in _arguments(call).values() if isinstance(one, Spec) and one.floating), None)
    for name, parameter in parameters.items():
        if "mask" in name and name not in found and parameter.default is None and main is not None:
            length = "S" if "S" in main.dims else main.dims[-2] if len(main.dims) > 1 else main.dims[-1]
            batch = main.dims[0]
            shapes: list[tuple[int | str, ...]] = [
                (length, length),
                (batch, 1, length, length),
                (batch, length),
            ]
            for dims in shapes:
                tried = _with(call, {name: Spec("bool", dims)})
                if attempt(tried)[0] is None:
                    found[name] = Spec("bool", dims)
                    break
    return found


def inputs_of(call: Call, name: str, seed: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments of the trial: masks that drop what its name says."""
    if call.factory is not None:
        return call.inputs(grad=False)
    generator = torch.Generator().manual_seed(1000 + seed)

    def one(leaf: Any) -> Any:
        if not isinstance(leaf, Spec):
            return realise(leaf, call.sizes)
        if leaf.dtype != "bool":
            return leaf.make(call.sizes, generator, dtype=torch.float64)
        return _mask(leaf.shape(call.sizes or SIZES), name.rpartition(" drops ")[2], generator)

    args, kwargs = tree_map(
        one, (call.leading, dict(call.arguments)), is_leaf=lambda leaf: isinstance(leaf, Spec)
    )
    return args, kwargs


def _mask(shape: tuple[int, ...], kind: str, generator: torch.Generator) -> torch.Tensor:
    """A mask of which half is True; of `a whole row` one row is all True and one all False, as either may mean drop."""
    if kind == "none":
        return torch.ones(shape, dtype=torch.bool)
    mask = torch.rand(shape, generator=generator) < 0.5
    if mask.dim() == 0 or not mask.numel():
        return mask
    # Neither meaning of True leaves a row without a key.
    rows = mask.reshape(-1, shape[-1])
    if shape[-1] > 1:
        rows[:, 0], rows[:, 1] = True, False
    if kind == "a whole row" and len(rows) > 1:
        rows[0], rows[1] = True, False
    return rows.reshape(shape)


def _arguments(call: Call) -> dict[str, Any]:
    try:
        names = list(inspect.signature(call.signed()).parameters)
    except (TypeError, ValueError):
        names = []
    names += [f"argument {place}" for place in range(len(names), len(call.leading))]
    return {**dict(zip(names, call.leading)), **call.arguments}


def _with(call: Call, values: dict[str, Any]) -> Call:
    """The call with other values for some arguments, by name."""
    own = _arguments(call)
    leading = tuple(values.get(name, own[name]) for name in list(own)[: len(call.leading)])
    rest = {name: value for name, value in values.items() if name not in list(own)[: len(call.leading)]}
    return replace(call, leading=leading, arguments={**call.arguments, **rest})
