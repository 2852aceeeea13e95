import torch
import torch.nn as nn
import torch.nn.functional as F

from .layers import Conv


class JKNet(nn.Module):
    def __init__(self, dims, kinds, classes):
        super().__init__()
        self.convs = nn.ModuleList(
            Conv.registry[k](i, o) for k, i, o in zip(kinds, dims[:-1], dims[1:]))
        self.head = nn.Linear(sum(dims[1:]), classes)

    def forward(self, x, ei):
        xs = []
        for c in self.convs:
            x = c(x, ei).relu_()
            xs.append(x)
            x = F.dropout(x, 0.2, self.training)
        return self.head(torch.cat(xs, 1))


class LabelProp:
    def __init__(self, k=3, alpha=0.9):
        self.k, self.alpha = k, alpha

    @torch.no_grad()
    def __call__(self, y, mask, ei, n):
        out = torch.zeros_like(y)
        out[mask] = y[mask]
        y0 = out.clone()
        for _ in range(self.k):
            nxt = torch.zeros_like(out).index_add_(0, ei[1], out[ei[0]])
            nxt.mul_(self.alpha).add_(y0, alpha=1 - self.alpha).clamp_(0, 1)
            out = nxt
        return out
