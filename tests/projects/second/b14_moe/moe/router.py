import torch
from torch import nn


class TopKRouter(nn.Module):
    def __init__(self, dim, experts, k):
        super().__init__()
        self.gate = nn.Linear(dim, experts, bias=False)
        self.k = k

    def forward(self, x):
        probs = self.gate(x).softmax(-1)
        top, idx = probs.topk(self.k, -1)
        return probs, top, idx
