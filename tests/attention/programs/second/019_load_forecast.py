from math import sqrt

import numpy as np
import torch
import torch.nn as nn


class TriangularCausalMask():
    def __init__(self, B, L, device="cpu"):
        mask_shape = [B, 1, L, L]
        with torch.no_grad():
            self._mask = torch.triu(torch.ones(mask_shape, dtype=torch.bool), diagonal=1).to(device)

    @property
    def mask(self):
        return self._mask


class FullAttention(nn.Module):
    def __init__(self, mask_flag=True, factor=5, scale=None, attention_dropout=0.1, output_attention=False):
        super(FullAttention, self).__init__()
        self.scale = scale
        self.mask_flag = mask_flag
        self.output_attention = output_attention
        self.dropout = nn.Dropout(attention_dropout)

    def forward(self, queries, keys, values, attn_mask):
        B, L, H, E = queries.shape
        _, S, _, D = values.shape
        scale = self.scale or 1. / sqrt(E)

        scores = torch.einsum("blhe,bshe->bhls", queries, keys)
        if self.mask_flag:
            if attn_mask is None:
                attn_mask = TriangularCausalMask(B, L, device=queries.device)

            scores.masked_fill_(attn_mask.mask, -np.inf)

        A = self.dropout(torch.softmax(scale * scores, dim=-1))  # ATTN
        V = torch.einsum("bhls,bshd->blhd", A, values)

        if self.output_attention:
            return (V.contiguous(), A)
        else:
            return (V.contiguous(), None)


class AttentionLayer(nn.Module):
    def __init__(self, attention, d_model, n_heads, d_keys=None, d_values=None):
        super(AttentionLayer, self).__init__()
        d_keys = d_keys or (d_model // n_heads)
        d_values = d_values or (d_model // n_heads)
        self.inner_attention = attention
        self.query_projection = nn.Linear(d_model, d_keys * n_heads)
        self.key_projection = nn.Linear(d_model, d_keys * n_heads)
        self.value_projection = nn.Linear(d_model, d_values * n_heads)
        self.out_projection = nn.Linear(d_values * n_heads, d_model)
        self.n_heads = n_heads

    def forward(self, queries, keys, values, attn_mask=None):
        B, L, _ = queries.shape
        _, S, _ = keys.shape
        H = self.n_heads
        queries = self.query_projection(queries).view(B, L, H, -1)
        keys = self.key_projection(keys).view(B, S, H, -1)
        values = self.value_projection(values).view(B, S, H, -1)
        out, attn = self.inner_attention(queries, keys, values, attn_mask)
        out = out.view(B, L, -1)
        return self.out_projection(out), attn


class LoadForecaster(nn.Module):
    def __init__(self, c_in=3, d_model=16, pred=4):
        super().__init__()
        self.pred = pred
        self.emb = nn.Conv1d(c_in, d_model, 3, padding=1, padding_mode="circular")
        self.self_attention = AttentionLayer(FullAttention(True), d_model, 2)
        self.cross_attention = AttentionLayer(FullAttention(False, scale=0.3), d_model, 4, d_values=5)
        self.proj = nn.Linear(d_model, c_in)

    def forward(self, hist, label):
        mem = self.emb(hist.transpose(1, 2)).transpose(1, 2)
        x = self.emb(label.transpose(1, 2)).transpose(1, 2)
        x = x + self.self_attention(x, x, x)[0]
        x = x + self.cross_attention(x, mem, mem)[0]
        return self.proj(x)[:, -self.pred:]


# --- driver ---
torch.manual_seed(19)
fc = LoadForecaster().double().eval()
RESULTS = []
for h, l in ((24, 8), (15, 10)):
    hist = torch.randn(2, h, 3, dtype=torch.float64, requires_grad=True)
    label = torch.randn(2, l, 3, dtype=torch.float64, requires_grad=True)
    fc.zero_grad()
    y = fc(hist, label)
    nn.functional.huber_loss(y, torch.zeros_like(y), reduction="sum").backward()
    RESULTS += [y.detach(), hist.grad, label.grad]
    RESULTS += [p.grad.clone() for p in fc.parameters()]
