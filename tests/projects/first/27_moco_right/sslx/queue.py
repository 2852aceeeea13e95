import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureQueue(nn.Module):
    def __init__(self, size, dim):
        super().__init__()
        self.size = size
        self.register_buffer("data", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("ptr", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def push(self, feats):
        n = feats.size(0)
        p = int(self.ptr)
        idx = torch.arange(p, p + n) % self.size
        self.data[idx] = feats
        self.ptr.add_(n).remainder_(self.size)

    def snapshot(self):
        return self.data.clone().detach()
