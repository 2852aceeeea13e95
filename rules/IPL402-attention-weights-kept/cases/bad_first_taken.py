import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(24, 3, batch_first=True)
        self.norm = nn.LayerNorm(24)

    def forward(self, x):
        return self.norm(x + self.attn(x, x, x)[0])  # expect: IPL402


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
