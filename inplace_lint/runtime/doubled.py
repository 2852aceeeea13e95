"""Runs code in float64 even where it casts to a smaller dtype, so that two forms of one formula agree closely."""

from __future__ import annotations

import contextlib
import inspect
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
def in_double(dropout: bool = True, rates: list[float] | None = None) -> Iterator[None]:
    """Within it all floats are float64. With `dropout=False` every dropout runs with rate 0.

    The rate of each dropout that drops something is appended to `rates`.
    """
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _Doubled(dropout, rates):
            yield
    finally:
        torch.set_default_dtype(before)


class _Doubled(TorchFunctionMode):
    def __init__(self, dropout: bool, rates: list[float] | None) -> None:
        super().__init__()
        self._dropout = dropout
        self._rates = rates

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _CASTS:
            return args[0].double()
        args, kwargs = tree_map(_wide, (args, kwargs or {}))
        if not self._dropout:
            args, kwargs = _kept(func, args, kwargs)
        if self._rates is not None and (rate := _rate(func, args, kwargs)):
            self._rates.append(rate)
        return func(*args, **kwargs)


def _wide(value: Any) -> Any:
    return _WIDE.get(value, value) if isinstance(value, torch.dtype) else value


def _kept(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns the arguments with the dropout probability set to 0, if the function is a dropout."""
    name, place = _DROPPING.get(func, ("", 0))
    if not name:
        return args, kwargs
    if len(args) > place:
        return (*args[:place], 0.0, *args[place + 1 :]), kwargs
    return args, {**kwargs, name: 0.0}


def _rate(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> float:
    """Returns the dropout probability of a call; 0 if it drops nothing."""
    name, place = _DROPPING.get(func, ("", 0))
    if not name:
        return 0.0
    switch, switched = _SWITCHES.get(func, ("", 0))
    if switch and not (args[switched] if len(args) > switched else kwargs.get(switch, True)):
        return 0.0
    default = 0.0 if name == "dropout_p" else 0.5
    return float(args[place] if len(args) > place else kwargs.get(name, default))


def _place(func: Any, name: str) -> tuple[str, int]:
    return name, list(inspect.signature(func).parameters).index(name)


_OF_LAYERS = (F.dropout, F.dropout1d, F.dropout2d, F.dropout3d, F.alpha_dropout, F.feature_alpha_dropout)
_HEADS = F.multi_head_attention_forward
#: Dropout functions, with the name and the position of their probability parameter.
_DROPPING: dict[Any, tuple[str, int]] = {
    **{func: _place(func, "p") for func in _OF_LAYERS},
    torch.dropout: ("p", 1),
    torch.dropout_: ("p", 1),
    F.scaled_dot_product_attention: ("dropout_p", 4),
    _HEADS: _place(_HEADS, "dropout_p"),
}
#: Dropout functions with a training switch, with the name and the position of that parameter.
_SWITCHES: dict[Any, tuple[str, int]] = {
    **{func: _place(func, "training") for func in (*_OF_LAYERS, _HEADS)},
    torch.dropout: ("train", 2),
    torch.dropout_: ("train", 2),
}
