import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class CosineAttention(nn.Module):
    """Normalised q / k with a clamped learnable temperature for every head."""

    def __init__(self, dim, num_heads, attn_drop=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.logit_scale = nn.Parameter(torch.log(10 * torch.ones((num_heads, 1, 1))))
        self.cpb_mlp = nn.Sequential(nn.Linear(1, 16), nn.ReLU(inplace=True), nn.Linear(16, num_heads, bias=False))
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.q_bias = nn.Parameter(torch.zeros(dim))
        self.v_bias = nn.Parameter(torch.zeros(dim))
        self.attn_drop = nn.Dropout(attn_drop)
        self.proj = nn.Linear(dim, dim)

    def position_bias(self, N):
        rel = (torch.arange(N)[:, None] - torch.arange(N)[None, :]).float()
        rel = torch.sign(rel) * torch.log2(rel.abs() + 1.0) / math.log2(8)
        return 16 * torch.sigmoid(self.cpb_mlp(rel.unsqueeze(-1)).permute(2, 0, 1))

    def forward(self, x):
        B, N, C = x.shape
        bias = torch.cat((self.q_bias, torch.zeros_like(self.v_bias), self.v_bias))
        qkv = F.linear(x, self.qkv.weight, bias).reshape(B, N, 3, self.num_heads, -1).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]

        attn = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1))
        logit_scale = torch.clamp(self.logit_scale, max=math.log(1. / 0.01)).exp()
        attn = attn * logit_scale
        attn = attn + self.position_bias(N).unsqueeze(0)
        attn = F.softmax(attn, dim=-1)  # ATTN
        attn = self.attn_drop(attn)

        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


def make():
    torch.manual_seed(16)
    m = CosineAttention(24, 3, attn_drop=0.1).eval()
    return m, (torch.randn(2, 8, 24, requires_grad=True),)
