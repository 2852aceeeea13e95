import torch
import torch.nn as nn


class TinyUNet(nn.Module):
    def __init__(self, ch=4, T=50):
        super().__init__()
        self.temb = nn.Embedding(T, 16)
        self.inp = nn.Conv2d(ch, 16, 3, padding=1)
        self.out = nn.Conv2d(16, ch, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x)
        h = h + self.temb(t)[:, :, None, None]
        return self.out(nn.functional.silu(h))
