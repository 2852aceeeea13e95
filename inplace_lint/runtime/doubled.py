"""Runs code in float64 throughout, also where it asks for a smaller kind, so that two forms of one formula agree."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

_WIDE = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}
_CASTS = (torch.Tensor.float, torch.Tensor.half, torch.Tensor.bfloat16)


@contextlib.contextmanager
def in_double(dropout: bool = True) -> Iterator[None]:
    """Within it floats are float64. Without `dropout` the functions that drop keep everything."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _Doubled(dropout):
            yield
    finally:
        torch.set_default_dtype(before)


class _Doubled(TorchFunctionMode):
    def __init__(self, dropout: bool) -> None:
        super().__init__()
        self._dropout = dropout

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _CASTS:
            return args[0].double()
        args, kwargs = tree_map(_wide, (args, kwargs or {}))
        if not self._dropout:
            args, kwargs = _kept(func, args, kwargs)
        return func(*args, **kwargs)


def _wide(value: Any) -> Any:
    return _WIDE.get(value, value) if isinstance(value, torch.dtype) else value


def _kept(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a function that drops, with a probability of zero."""
    name, place = _DROPPING.get(func, ("", 0))
    if not name:
        return args, kwargs
    if len(args) > place:
        return (*args[:place], 0.0, *args[place + 1 :]), kwargs
    return args, {**kwargs, name: 0.0}


#: What drops, with the name and the place of its probability.
_DROPPING: dict[Any, tuple[str, int]] = {
    F.dropout: ("p", 1),
    F.dropout1d: ("p", 1),
    F.dropout2d: ("p", 1),
    F.dropout3d: ("p", 1),
    F.alpha_dropout: ("p", 1),
    F.feature_alpha_dropout: ("p", 1),
    torch.dropout: ("p", 1),
    torch.dropout_: ("p", 1),
    F.scaled_dot_product_attention: ("dropout_p", 4),
    F.multi_head_attention_forward: ("dropout_p", 9),
}
