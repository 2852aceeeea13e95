#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Multi-head attention for the ASR encoder; base class shared by several variants."""

import math

import numpy
import torch
from torch import nn


class MultiHeadedAttentionBase(nn.Module):
    def __init__(self, n_head, n_feat, dropout_rate):
        super(MultiHeadedAttentionBase, self).__init__()
        assert n_feat % n_head == 0
        self.d_k = n_feat // n_head
        self.h = n_head
        self.linear_q = nn.Linear(n_feat, n_feat)
        self.linear_k = nn.Linear(n_feat, n_feat)
        self.linear_v = nn.Linear(n_feat, n_feat)
        self.linear_out = nn.Linear(n_feat, n_feat)
        self.dropout = nn.Dropout(p=dropout_rate)

    def forward_qkv(self, query, key, value):
        n_batch = query.size(0)
        q = self.linear_q(query).view(n_batch, -1, self.h, self.d_k)
        k = self.linear_k(key).view(n_batch, -1, self.h, self.d_k)
        v = self.linear_v(value).view(n_batch, -1, self.h, self.d_k)
        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

    def forward_attention(self, value, scores, mask):
        """Turn scores (#batch, n_head, time1, time2) into a context vector."""
        n_batch = value.size(0)
        if mask is not None:
            mask = mask.unsqueeze(1).eq(0)
            min_value = float(numpy.finfo(torch.tensor(0, dtype=scores.dtype).numpy().dtype).min)
            scores = scores.masked_fill(mask, min_value)
        attn = torch.softmax(scores, dim=-1)  # ATTN
        if mask is not None:
            attn = attn.masked_fill(mask, 0.0)
        p_attn = self.dropout(attn)
        x = torch.matmul(p_attn, value)
        x = x.transpose(1, 2).contiguous().view(n_batch, -1, self.h * self.d_k)
        return self.linear_out(x)


class EncoderSelfAttention(MultiHeadedAttentionBase):
    def forward(self, xs, mask=None):
        q, k, v = self.forward_qkv(xs, xs, xs)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        return self.forward_attention(v, scores, mask)


class ConvModule(nn.Module):
    def __init__(self, ch, kernel=5):
        super().__init__()
        self.pw = nn.Conv1d(ch, 2 * ch, 1)
        self.dw = nn.Conv1d(ch, ch, kernel, padding=kernel // 2, groups=ch)

    def forward(self, x):
        y = nn.functional.glu(self.pw(x.transpose(1, 2)), dim=1)
        return self.dw(y).transpose(1, 2)


class EncoderLayer(nn.Module):
    def __init__(self, idim=20, h=4):
        super().__init__()
        self.self_attn = EncoderSelfAttention(h, idim, 0.1)
        self.conv = ConvModule(idim)
        self.n1 = nn.LayerNorm(idim)
        self.n2 = nn.LayerNorm(idim)

    def forward(self, xs, mask=None):
        xs = xs + self.self_attn(self.n1(xs), mask)
        return xs + self.conv(self.n2(xs))


# --- driver ---
torch.manual_seed(4)
layer = EncoderLayer().eval().double()
RESULTS = []
for frames, lens in ((12, (12, 7, 9)), (8, None)):
    xs = torch.randn(3, frames, 20, dtype=torch.float64, requires_grad=True)
    msk = None
    if lens is not None:
        msk = (torch.arange(frames).unsqueeze(0) < torch.tensor(lens).unsqueeze(1)).unsqueeze(1)
    layer.zero_grad()
    ys = layer(xs, msk)
    (ys ** 3).mean().backward()
    RESULTS += [ys.detach(), xs.grad] + [p.grad.clone() for p in layer.parameters()]
