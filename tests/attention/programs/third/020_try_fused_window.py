"""Sliding-window attention; tries a fused kernel first and falls back to plain torch. Empty rows give zeros."""
import logging
import warnings

import torch
from torch import nn

log = logging.getLogger(__name__)

try:
    from flash_attn_does_not_exist_here import flash_attn_func  # type: ignore

    HAS_FLASH = True
except Exception:
    flash_attn_func = None
    HAS_FLASH = False


def sliding_window_mask(n, window, device=None):
    """True where attention is allowed: the `window` most recent positions, including itself."""
    i = torch.arange(n, device=device).view(n, 1)
    j = torch.arange(n, device=device).view(1, n)
    return (j <= i) & (i - j < window)


class LocalAttention(nn.Module):
    def __init__(self, dim, heads, window, use_flash=True):
        super().__init__()
        self.heads, self.window, self.use_flash = heads, window, use_flash
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def _fused(self, q, k, v):
        if not (HAS_FLASH and self.use_flash):
            raise RuntimeError("flash attention is not available")
        return flash_attn_func(q, k, v, causal=True, window_size=(self.window - 1, 0))

    def _reference(self, q, k, v, valid):
        n, d = q.shape[-2:]
        allowed = sliding_window_mask(n, self.window, q.device)
        allowed = allowed & valid[:, None, None, :]
        scores = torch.matmul(q * d ** -0.5, k.transpose(-2, -1))
        scores = scores.masked_fill(~allowed, float("-inf"))
        attn = torch.softmax(scores, dim=-1)  # ATTN
        # rows that may look at nothing come out as nan: make them zero
        attn = torch.nan_to_num(attn, nan=0.0)
        return torch.matmul(attn, v)

    def forward(self, x, valid):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        try:
            y = self._fused(q, k, v)
        except RuntimeError as err:
            log.debug("fused attention failed (%s), using the reference path", err)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y = self._reference(q, k, v, valid)
        return self.out(y.transpose(1, 2).reshape(b, n, c))


class Model(nn.Module):
    def __init__(self, dim=16, heads=2, depth=2, window=3):
        super().__init__()
        self.layers = nn.ModuleList(LocalAttention(dim, heads, window) for _ in range(depth))

    def forward(self, x, valid):
        for layer in self.layers:
            x = x + layer(x, valid)
        return x


# --- driver ---
def main():
    torch.manual_seed(0)
    model = Model().eval()
    x = torch.randn(2, 8, 16, requires_grad=True)
    valid = torch.ones(2, 8, dtype=torch.bool)
    valid[1, :4] = False  # left padding: the first queries of item 1 see nothing
    y = model(x, valid)
    y.pow(2).mean().backward()
    return [y, x.grad] + [p.grad for p in model.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
