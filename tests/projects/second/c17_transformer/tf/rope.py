import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        inv = 1 / 10000 ** (torch.arange(0, dim, 2) / dim)
        ang = torch.outer(torch.arange(n), inv)
        self.register_buffer("cos", ang.cos(), persistent=False)
        self.register_buffer("sin", ang.sin(), persistent=False)

    def forward(self, x):
        n = x.size(-2)
        out = torch.empty_like(x)
        a, b = x[..., ::2], x[..., 1::2]
        out[..., ::2] = a * self.cos[:n] - b * self.sin[:n]
        out[..., 1::2] = a * self.sin[:n] + b * self.cos[:n]
        return out
