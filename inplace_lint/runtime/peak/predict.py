"""Predicts the peak on a GPU without one: runs the step on fake tensors, which have sizes and no memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .devices import Device
from .kernels import CudaKernels


@contextlib.contextmanager
def predicting(device: Device | None) -> Iterator[FakeTensorMode]:
    """Makes all new tensors in the body fake. With a `device`, its attention and dropout kernels are modelled."""
    fake = FakeTensorMode(allow_non_fake_inputs=True)
    with contextlib.ExitStack() as stack:
        stack.enter_context(fake)
        if device is not None:
            stack.enter_context(CudaKernels(device))
            stack.enter_context(_autocast_here())
        yield fake


def emptied(module: torch.nn.Module, fake: FakeTensorMode) -> torch.nn.Module:
    """Replaces the module's parameters and buffers by fake tensors, and returns the module."""
    known: dict[int, torch.Tensor] = {}

    def one(tensor: torch.Tensor) -> torch.Tensor:
        if id(tensor) not in known:
            known[id(tensor)] = fake.from_tensor(tensor)
        return known[id(tensor)]

    for part in module.modules():
        for name, parameter in part._parameters.items():
            if parameter is not None:
                part._parameters[name] = one(parameter)  # type: ignore[assignment]  # it is no Parameter
        for name, buffer in part._buffers.items():
            if buffer is not None:
                part._buffers[name] = one(buffer)
    return module


@contextlib.contextmanager
def _autocast_here() -> Iterator[None]:
    """Redirects `torch.autocast("cuda")` to the CPU's autocast, whose lists of operations are similar."""
    begin = torch.autocast.__init__

    def here(self: Any, device_type: str, dtype: Any = None, *args: Any, **kwargs: Any) -> None:
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.float16
        begin(self, device_type, dtype, *args, **kwargs)

    with mock.patch.object(torch.autocast, "__init__", here):
        yield
