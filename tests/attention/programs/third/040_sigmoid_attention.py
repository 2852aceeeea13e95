"""Attention-like layers without a softmax: sigmoid attention (Ramapuram et al.), squared ReLU, and plain normalisation."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sigmoid_weights(scores):
    return torch.sigmoid(scores - math.log(scores.size(-1)))  # NOT


def squared_relu_weights(scores):
    return F.relu(scores).square() / scores.size(-1)


def l1_weights(scores):
    return scores / scores.abs().sum(dim=-1, keepdim=True).clamp_min(1e-6)


WEIGHTS = dict(sigmoid=sigmoid_weights, relu2=squared_relu_weights, l1=l1_weights)


class GateAttention(nn.Module):
    def __init__(self, dim, heads, kind="sigmoid", causal=True):
        super().__init__()
        self.heads, self.kind, self.causal = heads, kind, causal
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        q, k, v = self.qkv(x).reshape(B, N, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        attn = (q @ k.transpose(-2, -1)) * self.scale
        if self.causal:
            future = torch.ones(N, N, dtype=torch.bool).triu(1)
            attn = attn.masked_fill(future, float("-inf") if self.kind == "sigmoid" else 0.0)
        attn = WEIGHTS[self.kind](attn)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


class Block(nn.Module):
    def __init__(self, dim, heads, **kw):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = GateAttention(dim, heads, **kw)

    def forward(self, x):
        return x + self.attn(self.norm(x))


# --- driver ---
def main():
    torch.manual_seed(0)
    net = nn.Sequential(
        Block(16, 2, kind="sigmoid"),
        Block(16, 4, kind="relu2", causal=False),
        Block(16, 2, kind="l1"),
    ).eval()
    x = torch.randn(2, 6, 16, requires_grad=True)
    y = net(x)
    y.pow(2).mean().backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
