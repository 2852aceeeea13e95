"""Multi-head attention in the espnet manner."""
import math
from typing import Optional

import torch
from torch import nn


class MultiHeadedAttention(nn.Module):
    """Multi-Head Attention layer.

    Args:
        n_head: number of heads
        n_feat: number of features
        dropout_rate: dropout on the attention map
    """

    def __init__(self, n_head: int, n_feat: int, dropout_rate: float = 0.0):
        super().__init__()
        assert n_feat % n_head == 0
        self.d_k = n_feat // n_head
        self.h = n_head
        self.linear_q = nn.Linear(n_feat, n_feat)
        self.linear_k = nn.Linear(n_feat, n_feat)
        self.linear_v = nn.Linear(n_feat, n_feat)
        self.linear_out = nn.Linear(n_feat, n_feat)
        self.attn: Optional[torch.Tensor] = None
        self.dropout = nn.Dropout(p=dropout_rate)

    def forward_qkv(self, query, key, value):
        n = query.size(0)
        q = self.linear_q(query).view(n, -1, self.h, self.d_k).transpose(1, 2)
        k = self.linear_k(key).view(n, -1, self.h, self.d_k).transpose(1, 2)
        v = self.linear_v(value).view(n, -1, self.h, self.d_k).transpose(1, 2)
        return q, k, v

    def forward_attention(self, value, scores, mask):
        n = value.size(0)
        if mask is not None:
            mask = mask.unsqueeze(1).eq(0)
            scores.masked_fill_(mask, torch.finfo(scores.dtype).min)
            self.attn = torch.softmax(scores, dim=-1)
            self.attn.masked_fill_(mask, 0.0)  # BUG
        else:
            self.attn = torch.softmax(scores, dim=-1)
        x = torch.matmul(self.dropout(self.attn), value)
        x = x.transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k)
        return self.linear_out(x)

    def forward(self, query, key, value, mask=None):
        q, k, v = self.forward_qkv(query, key, value)
        scores = torch.matmul(q, k.transpose(-2, -1))
        scores /= math.sqrt(self.d_k)
        return self.forward_attention(v, scores, mask)


class RelPositionMultiHeadedAttention(MultiHeadedAttention):
    """Adds the learned content and position biases of Transformer-XL."""

    def __init__(self, n_head, n_feat, dropout_rate=0.0):
        super().__init__(n_head, n_feat, dropout_rate)
        self.linear_pos = nn.Linear(n_feat, n_feat, bias=False)
        self.pos_bias_u = nn.Parameter(torch.empty(self.h, self.d_k))
        self.pos_bias_v = nn.Parameter(torch.empty(self.h, self.d_k))
        nn.init.xavier_uniform_(self.pos_bias_u)
        nn.init.xavier_uniform_(self.pos_bias_v)

    def forward(self, query, key, value, pos_emb, mask=None):
        q, k, v = self.forward_qkv(query, key, value)
        p = self.linear_pos(pos_emb).view(1, -1, self.h, self.d_k).transpose(1, 2)
        q_u = q + self.pos_bias_u.unsqueeze(1)
        q_v = q + self.pos_bias_v.unsqueeze(1)
        scores = torch.matmul(q_u, k.transpose(-2, -1))
        scores += torch.matmul(q_v, p.transpose(-2, -1))
        scores /= math.sqrt(self.d_k)
        return self.forward_attention(v, scores, mask)
