"""Scaled cosine attention (Swin v2): normalised q and k, clamped learned log temperature, no 1/sqrt(d)."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ContinuousPositionBias(nn.Module):
    def __init__(self, window, heads, hidden=16):
        super().__init__()
        self.window, self.heads = window, heads
        self.mlp = nn.Sequential(nn.Linear(1, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, heads, bias=False))
        d = torch.arange(-(window - 1), window, dtype=torch.float32)
        table = torch.sign(d) * torch.log2(d.abs() + 1.0) / math.log2(8)
        self.register_buffer("table", table[:, None])
        i = torch.arange(window)
        self.register_buffer("index", i[:, None] - i[None, :] + window - 1)

    def forward(self):
        bias = self.mlp(self.table)[self.index.view(-1)].view(self.window, self.window, self.heads)
        return 16 * torch.sigmoid(bias.permute(2, 0, 1).contiguous())


class CosineWindowAttention(nn.Module):
    def __init__(self, dim, window, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.cpb = ContinuousPositionBias(window, num_heads)
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.q_bias = nn.Parameter(torch.zeros(dim))
        self.v_bias = nn.Parameter(torch.zeros(dim))
        self.proj = nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        B_, N, C = x.shape
        qkv_bias = torch.cat((self.q_bias, torch.zeros_like(self.v_bias, requires_grad=False), self.v_bias))
        qkv = F.linear(input=x, weight=self.qkv.weight, bias=qkv_bias)
        qkv = qkv.reshape(B_, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)

        # cosine attention
        attn = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1))
        logit_scale = torch.clamp(self.logit_scale, max=math.log(1.0 / 0.01)).exp()
        attn = attn * logit_scale
        attn = attn + self.cpb().unsqueeze(0)
        attn = self.softmax(attn)  # ATTN
        x = (attn @ v).transpose(1, 2).reshape(B_, N, C)
        return self.proj(x)


class ResPostNormBlock(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.attn = CosineWindowAttention(dim, window, heads)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return x + self.norm(self.attn(x))


# --- driver ---
def main():
    torch.manual_seed(0)
    net = nn.Sequential(ResPostNormBlock(16, 6, 4), ResPostNormBlock(16, 6, 4), nn.Linear(16, 3)).double().eval()
    x = torch.randn(2, 6, 16, requires_grad=True)
    y = net(x)
    y.pow(2).sum().backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
