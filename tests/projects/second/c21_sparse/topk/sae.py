import torch
from torch import nn


class SAE(nn.Module):
    def __init__(self, d, n, k):
        super().__init__()
        self.k = k
        self.enc = nn.Linear(d, n)
        self.dec = nn.Parameter(self.enc.weight.detach().clone())
        self.bias = nn.Parameter(torch.zeros(d))
        self.register_buffer("since_fired", torch.zeros(n, dtype=torch.long))

    def forward(self, x):
        pre = self.enc(x - self.bias).relu_()
        v, i = pre.topk(self.k)
        z = torch.zeros_like(pre).scatter_(-1, i, v)
        self.since_fired += 1
        self.since_fired[i.unique()] = 0
        out = z @ self.dec
        out += self.bias
        return out, z
