"""Copies every tensor that autograd saves, so that no in-place write can change it: this gives the true gradient."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


@contextmanager
def snapshot() -> Iterator[None]:
    """Copies each tensor that autograd saves in the body.

    The program's own saved-tensor hooks, including checkpointing's, are replaced by the copying ones.
    """
    hooks: Any = torch._C._autograd
    push = hooks._push_saved_tensors_default_hooks

    @functools.wraps(push)
    def push_copies(pack: Any, unpack: Any) -> None:
        push(_copy, _as_it_is)

    hooks._push_saved_tensors_default_hooks = push_copies
    try:
        with torch.autograd.graph.saved_tensors_hooks(_copy, _as_it_is):
            yield
    finally:
        hooks._push_saved_tensors_default_hooks = push


def relative_error(tensor: torch.Tensor, true: torch.Tensor) -> float:
    """Returns the norm of the difference over that of `true`; 0 if equal, infinite if the shapes or the NaNs differ."""
    if tensor.shape != true.shape:
        return float("inf")
    difference = (tensor.detach().double() - true.detach().double()).norm().item()
    size = true.detach().double().norm().item()
    if difference != difference:
        both = torch.equal(torch.isnan(tensor), torch.isnan(true))
        return 0.0 if both else float("inf")
    return 0.0 if difference == 0 else difference / size if size else float("inf")


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone()


def _as_it_is(tensor: torch.Tensor) -> torch.Tensor:
    return tensor
