"""Modules of torch that call the module they are given, as Python that is read like a file of the project.

It is never run. What they do beside calling it (replicas on other devices, hooks that reduce gradients) is left out.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from torch import nn

if TYPE_CHECKING:
    from collections.abc import Iterator


class DataParallel(nn.Module):
    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0) -> None:
        super().__init__()
        self.module = module
        self.device_ids = device_ids

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)


class DistributedDataParallel(nn.Module):
    def __init__(
        self, module: Any, device_ids: Any = None, output_device: Any = None, **options: Any
    ) -> None:
        super().__init__()
        self.module = module
        self.device_ids = device_ids

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        yield
