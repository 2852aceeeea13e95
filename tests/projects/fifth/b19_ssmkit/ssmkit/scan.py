from typing import Callable, Dict

import torch
from torch import Tensor

SCANS: Dict[str, Callable[..., Tensor]] = {}


def scan_impl(name: str):
    def deco(fn):
        SCANS[name] = fn
        return fn

    return deco


def discretize(dt: Tensor, A: Tensor, B: Tensor, u: Tensor):
    """(b, l, d), (d, n), (b, l, n), (b, l, d) -> two of (b, l, d, n)."""
    dA = torch.einsum("bld,dn->bldn", dt, A).exp_()
    dBu = torch.einsum("bld,bln,bld->bldn", dt, B, u)
    return dA, dBu


@scan_impl("ref")
def selective_scan_ref(dA: Tensor, dBu: Tensor, C: Tensor) -> Tensor:
    h = torch.zeros_like(dA[:, 0])
    ys = []
    for t in range(dA.shape[1]):
        h = dA[:, t] * h + dBu[:, t]
        ys.append(torch.einsum("bdn,bn->bd", h, C[:, t]))
    return torch.stack(ys, dim=1)


@scan_impl("lowmem")
def selective_scan_lowmem(dA: Tensor, dBu: Tensor, C: Tensor) -> Tensor:
    b, l, d, n = dA.shape
    h = dA.new_zeros(b, d, n)
    y = dA.new_empty(b, l, d)
    for t in range(l):
        h.mul_(dA[:, t]).add_(dBu[:, t])  # BUG
        y[:, t] = (h * C[:, t].unsqueeze(1)).sum(-1)
    return y


@scan_impl("cumsum")
def selective_scan_cumsum(dA: Tensor, dBu: Tensor, C: Tensor) -> Tensor:
    la = dA.clamp(min=1e-6).log().cumsum(1)
    h = (dBu * torch.exp(-la)).cumsum(1) * torch.exp(la)
    return torch.einsum("bldn,bln->bld", h, C)
