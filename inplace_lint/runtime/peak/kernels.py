"""Models the memory of CUDA's attention and dropout kernels where it differs from that of the CPU's.

Derived from PyTorch's ATen/native/transformers/cuda (sdp_utils.cpp, attention.cu, attention_backward.cu), not from
measurements on a GPU.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from .devices import Device


class CudaKernels(TorchFunctionMode):
    """Replaces the operations whose memory on `device` differs, and redirects `cuda` devices to the CPU."""

    def __init__(self, device: Device) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Runs one function of torch."""
        kwargs = dict(kwargs or {})
        if func is F.scaled_dot_product_attention:
            return self._attention(*args, **kwargs)
        if func in (F.dropout, torch.dropout):
            return _dropout(func, *args, **kwargs)
        if func is torch.Tensor.cuda:
            return args[0]
        args = tuple(_here(value) for value in args)
        return func(*args, **{name: _here(value) for name, value in kwargs.items()})

    def _attention(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor:
        kernel = choose(self._device, query, key, value, attn_mask, is_causal, enable_gqa)
        if kernel == "math":
            more: dict[str, Any] = {"enable_gqa": True} if enable_gqa else {}  # from torch 2.5 on
            # Call the composite form directly, so that the ledger sees each of its operations.
            return torch._scaled_dot_product_attention_math(
                query,
                key,
                value,
                attn_mask,
                dropout_p,
                is_causal,
                scale=scale,
                **more,
            )[0]
        return _Fused.apply(kernel, query, key, value, attn_mask)  # type: ignore[no-any-return,no-untyped-call]  # torch: untyped


def choose(
    device: Device,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    is_causal: bool,
    enable_gqa: bool = False,
) -> str:
    """Returns the attention kernel that PyTorch would choose on the device: flash, efficient or math."""
    tensors = (query, key, value)
    plain = all(one.dim() == 4 and one.stride(-1) == 1 for one in tensors) and all(
        one.numel() for one in tensors
    )
    if not plain or len({one.dtype for one in tensors}) > 1:
        return "math"
    half = query.dtype in (torch.float16, torch.bfloat16)
    same = query.size(-1) == value.size(-1)
    causal_fits = not is_causal or query.size(-2) == key.size(-2)
    if device.flash and half and mask is None and same and query.size(-1) <= 256 and causal_fits:
        return "flash"
    heads = query.size(-3) == key.size(-3) == value.size(-3)
    aligned = 8 if half else 4
    fits = query.size(-1) % aligned == 0 and value.size(-1) % aligned == 0
    known = (
        half and (query.dtype is not torch.bfloat16 or device.capability >= (8, 0))
    ) or query.dtype is torch.float32
    # A mask that needs a gradient is allowed; grouped heads are not.
    return "efficient" if heads and not enable_gqa and fits and known else "math"


class _Fused(torch.autograd.Function):
    """Makes the allocations of a fused attention kernel; the values are not computed, since only sizes count."""

    @staticmethod
    def forward(
        ctx: Any, kernel: str, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: Any
    ) -> torch.Tensor:
        batch, heads, length, _ = q.shape
        # The kernels write (batch, length, heads, size), and return a transposed view.
        out = q.new_empty(batch, length, heads, v.size(-1)).transpose(1, 2)
        rows = length if kernel == "flash" else _up(length, 32)
        logsumexp = q.new_empty(batch, heads, rows, dtype=torch.float32)
        if mask is not None:
            if mask.dtype is torch.bool:
                mask = torch.zeros_like(mask, dtype=q.dtype)
            if mask.size(-1) % 16:
                mask = F.pad(mask, (0, 16 - mask.size(-1) % 16))
        ctx.kernel = kernel
        ctx.save_for_backward(q, k, v, out, logsumexp, mask)
        return out

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> Any:
        q, k, v, _, _, mask = ctx.saved_tensors
        batch, heads, length, size = q.shape
        work = []
        if ctx.kernel == "flash":
            rows, columns = _up(length, 128), _up(size, 32)
            work.append(q.new_empty(batch, heads, rows, columns, dtype=torch.float32))
            work.append(q.new_empty(batch, heads, rows, dtype=torch.float32))
            if k.size(1) != heads:
                work += [
                    k.new_empty(batch, heads, k.size(2), size),
                    v.new_empty(batch, heads, v.size(2), size),
                ]
        else:
            work.append(q.new_empty(batch, heads, length, dtype=torch.float32))
            if q.dtype is not torch.float32:
                work.append(q.new_empty(batch, heads, _up(length, 64), size, dtype=torch.float32))
        results = [_rows_first(one) for one in (q, k, v)]
        bias = torch.empty_like(mask) if mask is not None and ctx.needs_input_grad[4] else None
        return None, *results, bias


def _rows_first(one: torch.Tensor) -> torch.Tensor:
    batch, heads, length, size = one.shape
    return one.new_empty(batch, length, heads, size).transpose(1, 2)


def _dropout(
    func: Any, input: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Any:
    """Runs the fused dropout, which saves a mask of one byte an element as CUDA's does."""
    if inplace or not training or not 0 < p < 1 or not input.is_floating_point():
        return func(input, p, training, **({"inplace": True} if inplace else {}))
    return torch.native_dropout(input, p, True)[0]


def _here(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("cpu")
    return "cpu" if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")) else value


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
