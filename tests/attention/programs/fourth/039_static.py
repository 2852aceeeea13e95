import numpy as np
import torch
import torch.nn as nn


class AttentionOps:
    @staticmethod
    def attend(q, k, v, bias=None):
        logits = torch.matmul(q, k.mT)
        logits = logits / np.sqrt(q.shape[-1])
        if bias is not None:
            logits = logits + bias
        weights = torch.nn.functional.softmax(logits, dim=3)  # ATTN
        return torch.matmul(weights, v)

    @staticmethod
    def heads(x, n):
        b, s, d = x.shape
        return x.view(b, s, n, d // n).transpose(1, 2)

    @staticmethod
    def merge(x):
        return x.transpose(1, 2).flatten(2)


class GraphormerLayer(nn.Module):
    """Node attention with a shortest path bias per head."""

    def __init__(self, dim, n_heads, max_dist=6):
        super().__init__()
        self.n_heads = n_heads
        self.max_dist = max_dist
        self.spatial = nn.Embedding(max_dist + 1, n_heads)
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, nodes, dist):
        bias = self.spatial(dist.clamp(max=self.max_dist)).permute(0, 3, 1, 2)
        q = AttentionOps.heads(self.wq(nodes), self.n_heads)
        k = AttentionOps.heads(self.wk(nodes), self.n_heads)
        v = AttentionOps.heads(self.wv(nodes), self.n_heads)
        return self.wo(AttentionOps.merge(AttentionOps.attend(q, k, v, bias)))


def make():
    torch.manual_seed(31)
    model = GraphormerLayer(24, 4).eval()
    nodes = torch.randn(2, 7, 24, requires_grad=True)
    dist = torch.randint(0, 10, (2, 7, 7))
    return model, (nodes, dist)
