"""Attention produced head by head from a generator; normalised with an explicit log-sum-exp."""
from typing import Iterator, NamedTuple

import torch
from torch import Tensor, nn


class HeadInputs(NamedTuple):
    q: Tensor
    k: Tensor
    v: Tensor


def log_partition(logits: Tensor) -> Tensor:
    m = logits.amax(dim=-1, keepdim=True).detach()
    return m + (logits - m).exp().sum(dim=-1, keepdim=True).log()


class SequenceMixer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.width, self.heads = width, heads
        self.inp = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def _each_head(self, x: Tensor) -> Iterator[HeadInputs]:
        q, k, v = self.inp(x).tensor_split(3, dim=-1)
        step = self.width // self.heads
        for start in range(0, self.width, step):
            window = slice(start, start + step)
            yield HeadInputs(q[..., window], k[..., window], v[..., window])

    def _mix(self, x: Tensor, keep: Tensor) -> Iterator[Tensor]:
        for head in self._each_head(x):
            energy = torch.einsum("bqd,bkd->bqk", head.q, head.k) / head.q.shape[-1] ** 0.5
            energy = energy.masked_fill(keep.logical_not(), -1e30)
            log_p = energy - log_partition(energy)
            yield torch.einsum("bqk,bkd->bqd", log_p.exp(), head.v)  # ATTN

    def forward(self, x: Tensor, keep: Tensor) -> Tensor:
        return self.out(torch.cat(tuple(self._mix(x, keep)), dim=-1))


class Tower(nn.Module):
    def __init__(self, width=12, heads=3, depth=2):
        super().__init__()
        self.mixers = nn.ModuleList(SequenceMixer(width, heads) for _ in range(depth))
        self.ffs = nn.ModuleList(
            nn.Sequential(nn.Linear(width, 2 * width), nn.SiLU(), nn.Linear(2 * width, width)) for _ in range(depth)
        )

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        n = x.shape[1]
        positions = torch.arange(n, device=x.device)
        keep = (positions < lengths.unsqueeze(1)).unsqueeze(1)
        for mixer, ff in zip(self.mixers, self.ffs):
            x = x + mixer(x, keep)
            x = x + ff(x)
        return x * keep.transpose(1, 2)


# --- driver ---
def main():
    torch.manual_seed(0)
    tower = Tower().eval()
    x = torch.randn(2, 6, 12).requires_grad_()
    y = tower(x, torch.tensor([6, 3]))
    y.pow(2).sum().backward()
    return [y, x.grad] + [p.grad for p in tower.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
