"""After 'The Annotated Transformer'."""
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
    return torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8) == 0


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
        super().__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            # Same mask applied to all h heads.
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        del query
        del key
        del value
        return self.linears[-1](x)


class SublayerConnection(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.norm = nn.LayerNorm(size)

    def forward(self, x, sublayer):
        return x + sublayer(self.norm(x))


class DecoderLayer(nn.Module):
    def __init__(self, size, self_attn, src_attn):
        super().__init__()
        self.self_attn = self_attn
        self.src_attn = src_attn
        self.sublayer = clones(SublayerConnection(size), 2)

    def forward(self, x, memory, src_mask, tgt_mask):
        m = memory
        x = self.sublayer[0](x, lambda x: self.self_attn(x, x, x, tgt_mask))
        return self.sublayer[1](x, lambda x: self.src_attn(x, m, m, src_mask))


class Decoder(nn.Module):
    def __init__(self, layer, N, size):
        super().__init__()
        self.layers = clones(layer, N)
        self.proj = nn.Linear(size, 7)

    def forward(self, x, memory, src_mask, tgt_mask):
        for layer in self.layers:
            x = layer(x, memory, src_mask, tgt_mask)
        return torch.log_softmax(self.proj(x), dim=-1)


# --- driver ---
def main():
    torch.manual_seed(0)
    attn = MultiHeadedAttention(4, 16)
    model = Decoder(DecoderLayer(16, attn, copy.deepcopy(attn)), 2, 16)
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.xavier_uniform_(p)
    model.eval()
    x = torch.randn(2, 5, 16, requires_grad=True)
    memory = torch.randn(2, 6, 16, requires_grad=True)
    src_mask = torch.ones(2, 1, 6)
    src_mask[0, 0, 4:] = 0
    logp = model(x, memory, src_mask, subsequent_mask(5))
    nn.NLLLoss()(logp.view(-1, 7), torch.randint(0, 7, (10,))).backward()
    return [logp, x.grad, memory.grad] + [p.grad for p in model.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
