import copy
import math
import torch
import torch.nn as nn


def clones(module, N):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def subsequent_mask(size):
    return torch.ones(1, size, size, dtype=torch.int).tril()


def attention(query, key, value, mask=None, dropout=None):
    "Compute 'Scaled Dot Product Attention'"
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)  # ATTN
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn


class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super(MultiHeadedAttention, self).__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, _ = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class DecoderLayer(nn.Module):
    def __init__(self, size, h):
        super().__init__()
        self.self_attn = MultiHeadedAttention(h, size)
        self.src_attn = MultiHeadedAttention(h, size)
        self.norms = clones(nn.LayerNorm(size), 2)

    def forward(self, x, memory, tgt_mask):
        y = self.norms[0](x)
        x = x + self.self_attn(y, y, y, tgt_mask)
        return x + self.src_attn(self.norms[1](x), memory, memory)


def make():
    torch.manual_seed(0)
    layer = DecoderLayer(32, 4)
    layer.eval()
    x = torch.randn(2, 6, 32, requires_grad=True)
    memory = torch.randn(2, 9, 32, requires_grad=True)
    return layer, (x, memory, subsequent_mask(6))
