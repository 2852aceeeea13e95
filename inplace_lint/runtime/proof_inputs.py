"""Varies the inputs on which a rewrite is compared: lengths, head counts, masks, dropout rates, dtypes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.nn.modules.dropout import _DropoutNd
from torch.utils._pytree import tree_map

from .constants import vary
from .inputs.call import Call
from .inputs.guess import parameters
from .inputs.objects import integers
from .inputs.sizes import with_length
from .inputs.trial import attempt
from .inputs.values import NAMES, SIZES, Spec, put, realise

#: Lengths at which a rewrite may differ: the smallest, odd ones, and some that exceed a kernel's block.
LENGTHS = (1, 2, 3, 17, 64, 257, 300)
#: The longest side of a feature map, whose number of places is its square.
_LONGEST_SIDE = 17
#: The most integers of a constructor, those in its objects included, that are halved in turn.
_COUNTS = 12
#: The dropout rate set where the default is 0.
RATE = 0.25


@dataclass(frozen=True, slots=True)
class Variant:
    """A call to compare two forms on. `modes`: training flags to run with; `once`: with the first seed only.

    `prepare` changes the module after its construction; with a `kind`, only the results' dtypes are compared, with
    floats of that dtype.
    """

    name: str
    call: Call
    modes: tuple[bool, ...] = (False, True)
    once: bool = False
    prepare: Callable[[nn.Module], bool] | None = None
    kind: torch.dtype | None = None


def variants(call: Call) -> Iterator[Variant]:
    """Yields the calls to compare a rewrite on, the given call first."""
    yield Variant("as given", call)
    if call.source == "file":
        return
    yield from _prepared(call)
    for kind in (torch.float32, torch.bfloat16):
        yield Variant(f"kinds of results in {NAMES[kind]}", call, (True,), once=True, kind=kind)
    if call.factory is not None:
        return
    named = call if "S" in call.names else with_length(call)
    if "B" in named.names or "S" in named.names:
        yield Variant("another batch and length", named.at(B=3, S=named.sizes["S"] // 2 + 3))
    yield from _other_lengths(named)
    yield from _other_counts(call)
    for name, one in _masks(call).items():
        for how in ("half", "a whole row", "none"):
            yield Variant(f"{name} drops {how}", _with(call, {name: one}))
    if "S" in named.names:
        is_map = any(one.floating and one.dims.count("S") > 1 for one in _specs(named).values())
        for length in LENGTHS:
            if length != named.sizes["S"] and not (is_map and length > _LONGEST_SIDE):
                yield Variant(f"S = {length}", named.at(S=length, B=1), (False,), once=True)


def _prepared(call: Call) -> Iterator[Variant]:
    """Yields the call with varied constants (see `constants.vary`), and with dropout on where its rate is 0."""
    try:
        function = call.function()
    except Exception:  # user code; the trial `as given` reports it
        return
    module = module_of(function)
    if module is not None:
        if vary(module):
            yield Variant("other values of constants", call, once=True, prepare=vary)
        if _drop(module):
            yield Variant(f"dropout at {RATE}", call, (True,), prepare=_drop)
    if call.factory is None and (rates := _rates(call)):
        yield Variant(f"dropout at {RATE}", _with(call, dict.fromkeys(rates, RATE)), (True,))


def _drop(module: nn.Module) -> bool:
    """Sets zero dropout rates of a module to RATE; True if there was one."""
    found = False
    for one in module.modules():
        for name, value in vars(one).items():
            is_rate = name == "p" if isinstance(one, _DropoutNd) else "drop" in name
            if is_rate and isinstance(value, float) and value == 0.0:
                setattr(one, name, RATE)
                found = True
    return found


def _rates(call: Call) -> list[str]:
    """Returns the names of the call's own arguments that are dropout rates of 0."""
    try:
        taken = inspect.signature(call.signed()).parameters.values()
    except (TypeError, ValueError):
        return []
    own = _arguments(call)
    rates = [one.name for one in taken if "drop" in one.name and own.get(one.name, one.default) == 0.0]
    return [name for name in rates if isinstance(own.get(name, 0.0), float)]


def _other_lengths(call: Call) -> Iterator[Variant]:
    """Yields calls whose keys and values are longer or shorter than the queries, the first tensor."""
    specs = _specs(call)
    floating = {name: one for name, one in specs.items() if one.floating}
    if not floating:
        return
    first, main = next(iter(floating.items()))
    others = [name for name in specs if name != first]
    # Which axis is the length is unknown: try each; the original fails on a wrong one.
    for dim in dict.fromkeys(main.dims[1:-1]) if len(floating) > 1 else ():
        for more in (5, -3):
            if isinstance(dim, int) and dim + more < 1:
                continue
            changed = {name: _stretched(specs[name], dim, more) for name in others}
            longer = _with(call, changed)
            if any(changed[name] != specs[name] for name in others) and attempt(longer)[0] is None:
                what = "another length" if more > 0 else "a smaller length"
                yield Variant(f"keys of {what}", longer)
    if len(main.dims) == 3:
        for name in _optional(call):
            given = _with(call, {name: _stretched(main, main.dims[1], 5)})
            if attempt(given)[0] is None:
                yield Variant(f"{name} of another length", given)


def _stretched(spec: Spec, dim: int | str, more: int) -> Spec:
    """Adds `more` to the axes of size `dim`: of floats to all but the first, of masks and indices to the last only."""
    places = [place for place, one in enumerate(spec.dims) if one == dim and place]
    if not spec.floating:
        places = [place for place in places if place == len(spec.dims) - 1]
    other = dim + more if isinstance(dim, int) else f"{dim}{more:+d}"
    dims = tuple(other if place in places else one for place, one in enumerate(spec.dims))
    return Spec(spec.dtype, dims, spec.high)


def _optional(call: Call) -> list[str]:
    """Returns up to three omitted arguments whose default is None, other than masks."""
    try:
        taken = inspect.signature(call.signed()).parameters.values()
    except (TypeError, ValueError):
        return []
    own = _arguments(call)
    return [
        one.name for one in taken if one.default is None and one.name not in own and "mask" not in one.name
    ][:3]


def _other_counts(call: Call) -> Iterator[Variant]:
    """Yields calls with one constructor integer halved, such as the heads; for functions with axis 1 halved."""
    own = parameters(call.target) if inspect.isclass(call.target) else {}
    for name, value in list(integers(call.target, call.constructor).items())[:_COUNTS]:
        if value > 1:
            other = replace(call, constructor=put(call.constructor, name, value // 2))
            if attempt(other)[0] is None:
                yield Variant(f"{name} = {value // 2}", other)
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
            yield Variant("another count of heads", _with(call, halved))


def _masks(call: Call) -> dict[str, Spec]:
    """Returns the boolean arguments, and omitted parameters named `mask` with a shape that the target accepts."""
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
    """Makes the arguments of a trial; masks drop what the trial's `name` says, such as `attn_mask drops half`."""
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
    """Makes a random half-True mask; for `a whole row`, one row is all True and one all False: either may mean drop."""
    if kind == "none":
        return torch.ones(shape, dtype=torch.bool)
    mask = torch.rand(shape, generator=generator) < 0.5
    if mask.dim() == 0 or not mask.numel():
        return mask
    # Keep one True and one False in each row, so that no row loses all keys, whatever True means.
    rows = mask.reshape(-1, shape[-1])
    if shape[-1] > 1:
        rows[:, 0], rows[:, 1] = True, False
    if kind == "a whole row" and len(rows) > 1:
        rows[0], rows[1] = True, False
    return rows.reshape(shape)


def may_drop_all(call: Call, name: str) -> bool:
    """Whether a mask of the trial of this name may drop all keys of a row, whether True or False means drop."""
    shapes = [one.shape(call.sizes or SIZES) for one in _specs(call).values() if one.dtype == "bool"]
    return name.endswith((" drops a whole row", " drops none")) or any(
        shape[-1:] in ((1,), ()) for shape in shapes
    )


def _specs(call: Call) -> dict[str, Spec]:
    return {name: one for name, one in _arguments(call).items() if isinstance(one, Spec)}


def _arguments(call: Call) -> dict[str, Any]:
    try:
        names = list(inspect.signature(call.signed()).parameters)
    except (TypeError, ValueError):
        names = []
    names += [f"argument {place}" for place in range(len(names), len(call.leading))]
    return {**dict(zip(names, call.leading)), **call.arguments}


def _with(call: Call, values: dict[str, Any]) -> Call:
    """Returns the call with other values for some arguments, by name."""
    own = _arguments(call)
    leading = tuple(values.get(name, own[name]) for name in list(own)[: len(call.leading)])
    rest = {name: value for name, value in values.items() if name not in list(own)[: len(call.leading)]}
    return replace(call, leading=leading, arguments={**call.arguments, **rest})


def module_of(function: Any) -> nn.Module | None:
    """Returns the module that a function is, or is a method of; None for others."""
    if isinstance(function, nn.Module):
        return function
    owner = getattr(function, "__self__", None)
    return owner if isinstance(owner, nn.Module) else None
