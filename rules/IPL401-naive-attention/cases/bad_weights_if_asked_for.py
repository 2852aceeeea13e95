"""The weights leave the function only where a flag asks for them, or outside of training."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width=16, heads=4, keep_maps=False):
        super().__init__()
        self.heads, self.keep_maps = heads, keep_maps
        self.joint = nn.Linear(width, 3 * width)
        self.maps = []

    def split(self, x):
        b, n, c = x.shape
        return self.joint(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)

    def forward(self, x, output_attentions=False):
        q, k, v = self.split(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1)  # expect: IPL401
        out = (weights @ v).transpose(1, 2).flatten(2)
        if self.keep_maps:
            self.maps.append(weights.detach())
        return (out, weights) if output_attentions else (out,)


class Decoder(Encoder):
    def forward(self, x, names=None):
        q, k, v = self.split(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1)  # expect: IPL401
        if not self.training:
            self.maps.append(weights)
        out = (weights @ v).transpose(1, 2).flatten(2)
        if names is None:
            return out
        return out, dict(zip(names, weights))


Encoder()(torch.randn(2, 5, 16))[0].sum().backward()
Decoder()(torch.randn(2, 5, 16)).sum().backward()
