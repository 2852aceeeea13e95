"""Attention weights dropped in place: softmax had saved them."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.dropout = dropout

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = F.softmax(scores, dim=-1)  # expect: IPL401
        weights = F.dropout(weights, self.dropout, training=True, inplace=True)  # expect: IPL101
        return weights @ v


if __name__ == "__main__":
    attention = Attention(16)
    attention(torch.randn(2, 5, 16)).sum().backward()
