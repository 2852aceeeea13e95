import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn = nn.MultiheadAttention(24, 3, batch_first=True)

    def forward(self, x):
        n = x.shape[1]
        past = torch.tril(torch.ones(n, n, dtype=torch.bool))
        return self.attn(x, x, x, attn_mask=~past, need_weights=False)[0]


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
