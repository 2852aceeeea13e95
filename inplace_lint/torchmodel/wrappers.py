"""Models torch's module wrappers (`DataParallel`) as Python source that is analysed like a file of the project.

It is never run. Replicas on other devices and gradient hooks are left out: only the call of the inner module counts.
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
