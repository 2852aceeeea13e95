import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(24, 3, batch_first=True)
        self.norm = nn.LayerNorm(24)

    def forward(self, x):
        h = self.norm(x)
        padding = torch.zeros(x.shape[:2], dtype=torch.bool)
        y, weights = self.attn(h, h, h, key_padding_mask=padding)  # expect: IPL402
        return x + y


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
