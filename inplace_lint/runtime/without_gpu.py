"""Runs code that asks for a GPU on the CPU, where there is none."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any
from unittest import mock

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

_CUDA = re.compile(r"cuda(:\d+)?$")


class OnCpu(TorchFunctionMode):
    """Puts `cpu` in place of `cuda`, and copies where a tensor would be copied to the GPU.

    A tensor that would be there already is copied too, where PyTorch would return it as it is. So of the hazards of the
    real run some may be missing, and none is added: a run with `used` confirms, and refutes nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.used = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is torch.Tensor.cuda:
            self.used = True
            return args[0].clone()
        before = self.used
        self.used = False
        args, kwargs = tree_map(self._here, (args, kwargs or {}))
        moved, self.used = self.used, before or self.used
        result = func(*args, **kwargs)
        if moved and func is torch.Tensor.to and result is args[0]:
            return result.clone()
        return result

    def _here(self, value: Any) -> Any:
        if isinstance(value, torch.device) and value.type == "cuda":
            self.used = True
            return torch.device("cpu")
        if isinstance(value, str) and _CUDA.match(value):
            self.used = True
            return "cpu"
        return value


@contextlib.contextmanager
def without_gpu(source: str) -> Iterator[OnCpu | None]:
    """Runs the body with such a mode, if the source speaks of cuda and no GPU is there."""
    if "cuda" not in source or torch.cuda.is_available():
        yield None
        return
    with OnCpu() as mode, mock.patch.object(torch.cuda, "synchronize", lambda *_: None):
        yield mode
