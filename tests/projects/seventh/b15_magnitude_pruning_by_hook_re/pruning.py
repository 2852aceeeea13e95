import torch
from torch import nn
from events import on

MASKS = {}


def magnitude_mask(w, sparsity):
    k = int(w.numel() * sparsity)
    if k == 0:
        return torch.ones_like(w)
    thr = w.abs().flatten().kthvalue(k).values
    return (w.abs() > thr).to(w.dtype)


@on("epoch_start")
@torch.no_grad()
def recompute_masks(model, epoch, **_):
    sparsity = min(0.8, 0.3 * epoch)
    for name, m in model.named_modules():
        if isinstance(m, nn.Linear):
            MASKS[name] = magnitude_mask(m.weight, sparsity)


@on("before_backward")
@torch.no_grad()
def apply_masks(model, **_):
    for name, m in model.named_modules():
        if name in MASKS:
            m.weight.mul_(MASKS[name])  # BUG
