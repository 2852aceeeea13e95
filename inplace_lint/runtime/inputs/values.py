"""Reads and writes arguments as text: `f32[B,S,768]` for a tensor, a Python literal for anything else."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_map

from ..problems import InputError

DTYPES = {
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "c64": torch.complex64,
    "c128": torch.complex128,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "bool": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
#: Default values of the named sizes: batch and sequence length.
SIZES = {"B": 2, "S": 64}

Dim = int | str


@dataclass(frozen=True, slots=True)
class Size:
    """A named integer argument, such as the sequence length `S` passed to a constructor."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Spec:
    """A tensor to be made: its dtype and its sizes, each a number or a name. Integer values lie below `high`."""

    dtype: str
    dims: tuple[Dim, ...]
    high: int | None = None

    def __str__(self) -> str:
        below = "" if self.high is None else f"<{self.high}"
        return f"{self.dtype}[{','.join(map(str, self.dims))}]{below}"

    @property
    def floating(self) -> bool:
        return DTYPES[self.dtype].is_floating_point or DTYPES[self.dtype].is_complex

    def shape(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Returns the sizes as numbers. Raises InputError for a name without a value."""
        return tuple(_number(dim, sizes) for dim in self.dims)

    def make(
        self,
        sizes: Mapping[str, int],
        generator: torch.Generator | None = None,
        device: str = "cpu",
        dtype: torch.dtype | None = None,
    ) -> torch.Tensor:
        """Makes a tensor: normal floats, integers below `high`, masks all True. `dtype` is for real floats."""
        shape, own = self.shape(sizes), DTYPES[self.dtype]
        if own is torch.bool:
            return torch.ones(shape, dtype=own, device=device)
        if own.is_complex:
            return torch.randn(shape, generator=generator, dtype=own, device=device)
        if own.is_floating_point:
            return torch.randn(shape, generator=generator, dtype=dtype or own, device=device)
        return torch.randint(0, self.high or 2, shape, generator=generator, dtype=own, device=device)


@dataclass(frozen=True, slots=True)
class Built:
    """An object that is made anew for each call: its class, and the arguments by name, which may be Built too."""

    make: Any
    fields: Mapping[str, Any]

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={written(value)}" for name, value in self.fields.items())
        return f"{getattr(self.make, '__qualname__', self.make)}({inside})"


_SPEC = re.compile(r"(?P<dtype>[a-z]+\d*)\[(?P<dims>[^\]]*)\](?:<(?P<high>\d+))?$")
_DIM = re.compile(r"\d+$|(?:\d+\*)?[A-Za-z_]\w*(?:[+-]\d+)?$")


def parse_spec(text: str) -> Spec:
    """Reads `f32[B,S,768]` or `i64[2,64]<1000`. Raises InputError."""
    found = _SPEC.match(text.replace(" ", ""))
    if not found or found["dtype"] not in DTYPES:
        kinds = ", ".join(DTYPES)
        raise InputError(f"`{text}` is no tensor: write it as f32[2,64,768], the kind one of {kinds}")
    dims: list[Dim] = []
    for part in filter(None, found["dims"].split(",")):
        if not _DIM.match(part):
            raise InputError(f"`{part}` in `{text}` is no size: a number, a name such as S, or S+1")
        dims.append(int(part) if part.isdigit() else part)
    return Spec(found["dtype"], tuple(dims), int(found["high"]) if found["high"] else None)


def parse_value(text: str) -> Any:
    """A tensor's Spec, a Size for a bare `S` or `B`, or a Python literal. Raises InputError."""
    text = text.strip()
    if _SPEC.match(text.replace(" ", "")):
        return parse_spec(text)
    if text in SIZES:
        return Size(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise InputError(f"`{text}` is neither a tensor such as f32[2,64,768] nor a Python literal") from None


def parse_arguments(text: str) -> dict[str, Any]:
    """Reads `x=f32[2,64,768], heads=4`. Raises InputError."""
    values: dict[str, Any] = {}
    for part in _split(text):
        name, equals, value = part.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InputError(f"`{part}` is no argument: write it as name=f32[2,64,768]")
        values[name.strip()] = parse_value(value)
    return values


def _split(text: str) -> list[str]:
    """Splits a line at commas and blanks outside of brackets and quotes."""
    parts, depth, quote = [""], 0, ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        depth += (sign in "([{") - (sign in ")]}")
        if not quote and not depth and (sign == "," or sign.isspace()):
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]


def realise(value: Any, sizes: Mapping[str, int], **how: Any) -> Any:
    """Returns a tree of values with each Spec made a tensor, each Size a number, and each Built its object."""

    def one(leaf: Any) -> Any:
        if isinstance(leaf, Spec):
            return leaf.make(sizes, **how)
        if isinstance(leaf, Built):
            return leaf.make(**realise(dict(leaf.fields), sizes, **how))
        return _number(leaf.name, sizes) if isinstance(leaf, Size) else leaf

    return tree_map(one, value, is_leaf=lambda leaf: isinstance(leaf, (Spec, Size)))


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the values by name, those in objects and dicts too, as `config` and `config.width`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found[name] = value
        inside = value.fields if isinstance(value, Built) else value if isinstance(value, dict) else {}
        if all(isinstance(key, str) for key in inside):
            found.update({f"{name}.{key}": one for key, one in flat(inside).items()})
    return found


def put(values: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Returns the values with another one under a name as `flat` gives it."""
    first, _, rest = name.partition(".")
    if not rest:
        return {**values, name: value}
    outer = values[first]
    inside = put(outer.fields if isinstance(outer, Built) else outer, rest, value)
    return {**values, first: Built(outer.make, inside) if isinstance(outer, Built) else inside}


def written(value: Any) -> str:
    """Returns a value as text: tensors as `f32[2,64]`, other values as in Python source."""
    if isinstance(value, torch.Tensor):
        return str(spec_of(value))
    if isinstance(value, (list, tuple)):
        inside = ", ".join(map(written, value)) + (
            "," if isinstance(value, tuple) and len(value) == 1 else ""
        )
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (Spec, Size, Built)):
        return str(value)
    if isinstance(value, type) or callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return repr(value)


def spec_of(tensor: torch.Tensor) -> Spec:
    """Returns a tensor's dtype and sizes; for integers also `high`, one more than the largest value."""
    name = NAMES.get(tensor.dtype, "f32")
    integral = name[0] in "iu" and tensor.numel() > 0
    high = max(int(tensor.max()) + 1, 1) if integral else None
    return Spec(name, tuple(tensor.shape), high)


def _number(dim: Dim, sizes: Mapping[str, int]) -> int:
    if isinstance(dim, int):
        return dim
    found = re.match(r"(?:(\d+)\*)?([A-Za-z_]\w*)([+-]\d+)?$", dim)
    assert found is not None
    factor, name, shift = found.groups()
    size = sizes.get(name, SIZES.get(name))
    if size is None:
        raise InputError(
            f"the size `{name}` has no value: only B (batch) and S (length) have one by themselves"
        )
    return int(factor or 1) * size + int(shift or 0)
