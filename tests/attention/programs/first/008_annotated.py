import copy
import math

import torch
import torch.nn as nn


def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])


def subsequent_mask(size):
    "Mask out subsequent positions."
    attn_shape = (1, size, size)
    m = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return m == 0


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
        "Take in model size and number of heads."
        super(MultiHeadedAttention, self).__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class SublayerConnection(nn.Module):
    def __init__(self, size, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, sublayer):
        return x + self.dropout(sublayer(self.norm(x)))


class DecoderLayer(nn.Module):
    def __init__(self, size, self_attn, src_attn, dropout):
        super().__init__()
        self.size = size
        self.self_attn = self_attn
        self.src_attn = src_attn
        self.feed_forward = nn.Sequential(nn.Linear(size, 2 * size), nn.ReLU(), nn.Linear(2 * size, size))
        self.sublayer = clones(SublayerConnection(size, dropout), 3)

    def forward(self, x, memory, src_mask, tgt_mask):
        m = memory
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, tgt_mask))
        x = self.sublayer[1](x, lambda x: self.src_attn(x, m, m, src_mask))
        return self.sublayer[2](x, self.feed_forward)


# --- driver ---
torch.manual_seed(8)
mha = MultiHeadedAttention(4, 20)
layer = DecoderLayer(20, copy.deepcopy(mha), copy.deepcopy(mha), 0.1).double().eval()
for p in layer.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
RESULTS = []
for T, S, masked in [(7, 9, True), (5, 12, False)]:
    layer.zero_grad()
    x = torch.randn(2, T, 20).double().requires_grad_()
    mem = torch.randn(2, S, 20).double().requires_grad_()
    src_mask = tgt_mask = None
    if masked:
        lens = torch.tensor([S, S - 4])
        src_mask = (torch.arange(S)[None] < lens[:, None]).unsqueeze(-2)
        tgt_mask = subsequent_mask(T)
    out = layer(x, mem, src_mask, tgt_mask)
    torch.exp(-out.pow(2)).sum().backward()
    RESULTS += [out.detach(), x.grad, mem.grad]
    RESULTS += [p.grad.clone() for p in layer.parameters()]
