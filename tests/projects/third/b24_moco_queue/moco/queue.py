import torch
import torch.nn as nn


class FeatureQueue(nn.Module):
    def __init__(self, dim, K):
        super().__init__()
        self.K = K
        self.register_buffer("data", nn.functional.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @property
    def keys(self):
        return self.data.detach()

    @torch.no_grad()
    def push(self, keys):
        n = keys.shape[0]
        p = int(self.ptr)
        assert self.K % n == 0
        self.data[:, p:p + n] = keys.T  # BUG
        self.ptr[0] = (p + n) % self.K
