"""The weights are handed out unless somebody says otherwise: it is a note that they cost memory."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width=16, with_weights=True):
        super().__init__()
        self.joint = nn.Linear(width, 3 * width)
        self.with_weights = with_weights

    def forward(self, x, need_weights=True):
        q, k, v = self.joint(x).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1)
        if need_weights:
            return weights @ v, weights
        return weights @ v, None


class Decoder(Encoder):
    def forward(self, x, skip_weights=False):
        q, k, v = self.joint(x).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / q.size(-1) ** 0.5, dim=-1)
        out = weights @ v
        return out if skip_weights or not self.with_weights else (out, weights)


Encoder()(torch.randn(2, 5, 16))[0].sum().backward()
Decoder()(torch.randn(2, 5, 16))[0].sum().backward()
