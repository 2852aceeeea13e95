import math
import torch
from torch import nn
import torch.nn.functional as F


class ResidualScoreAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.scale = 1.0 / math.sqrt(self.d_k)
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.to_out = nn.Linear(d_model, d_model)
        self.dropout = dropout

    def forward(self, x, prev=None, attn_mask=None):
        bs, q_len, _ = x.shape
        q_s = self.W_Q(x).view(bs, -1, self.n_heads, self.d_k).transpose(1, 2)
        k_s = self.W_K(x).view(bs, -1, self.n_heads, self.d_k).permute(0, 2, 3, 1)
        v_s = self.W_V(x).view(bs, -1, self.n_heads, self.d_k).transpose(1, 2)
        attn_scores = torch.matmul(q_s, k_s) * self.scale
        if prev is not None:
            attn_scores = attn_scores + prev
        if attn_mask is not None:
            attn_scores = attn_scores + attn_mask
        attn_weights = F.softmax(attn_scores, dim=-1)  # NOT
        attn_weights = F.dropout(attn_weights, self.dropout, self.training)
        output = torch.matmul(attn_weights, v_s)
        output = output.transpose(1, 2).contiguous().view(bs, q_len, -1)
        return self.to_out(output), attn_scores


class TSTEncoder(nn.Module):
    def __init__(self, d_model=24, n_heads=3, n_layers=3):
        super().__init__()
        self.layers = nn.ModuleList([ResidualScoreAttention(d_model, n_heads) for _ in range(n_layers)])
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(n_layers)])

    def forward(self, src):
        scores = None
        for layer, norm in zip(self.layers, self.norms):
            out, scores = layer(src, prev=scores)
            src = norm(src + out)
        return src


def make():
    torch.manual_seed(14)
    return TSTEncoder().train(), (torch.randn(2, 8, 24, requires_grad=True),)
