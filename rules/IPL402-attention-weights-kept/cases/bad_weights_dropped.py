import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(24, 3, batch_first=True)
        self.norm = nn.LayerNorm(24)

    def forward(self, x):
        y, _ = self.attn(x, x, x)  # expect: IPL402
        return self.norm(x + y)


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
