import math
from typing import List, Optional

import torch
from torch import Tensor, nn


def subsequent_mask(n: int) -> Tensor:
    m = torch.zeros(n, n, dtype=torch.bool)
    m.masked_fill_(torch.ones(n, n).triu(1).bool(), True)
    return m


def padding_mask(lengths: List[int], n: int) -> Tensor:
    m = torch.zeros(len(lengths), n, dtype=torch.bool)
    for i, k in enumerate(lengths):
        m[i, k:] = True
    return m


class SelfAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, p: float = 0.0):
        super().__init__()
        assert d_model % n_heads == 0
        self.h, self.dk = n_heads, d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        self.p = p
        self.last_weights: Optional[Tensor] = None

    def _split(self, t: Tensor) -> Tensor:
        b, n, _ = t.shape
        return t.view(b, n, self.h, self.dk).transpose(1, 2)

    def forward(self, x: Tensor, causal: Tensor, pad: Optional[Tensor] = None) -> Tensor:
        q, k, v = map(self._split, self.qkv(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1)
        scores /= math.sqrt(self.dk)
        scores.masked_fill_(causal, float("-inf"))
        weights = scores.softmax(dim=-1)
        if pad is not None:
            weights.masked_fill_(pad[:, None, None, :], 0.0)  # BUG
        self.last_weights = weights.detach()
        y = (weights @ v).transpose(1, 2).reshape(x.shape)
        return self.out(y)


class Layer(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.attn = SelfAttention(d_model, n_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.ReLU(inplace=True), nn.Linear(2 * d_model, d_model))
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, causal, pad):
        x = x + self.attn(self.ln1(x), causal, pad)
        return x + self.ff(self.ln2(x))


class TinyLM(nn.Module):
    PAD = 0

    def __init__(self, vocab, d_model=16, n_heads=2, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d_model, padding_idx=self.PAD)
        self.layers = nn.ModuleList(Layer(d_model, n_heads) for _ in range(depth))
        self.head = nn.Linear(d_model, vocab)

    def forward(self, ids, lengths):
        n = ids.size(1)
        causal, pad = subsequent_mask(n), padding_mask(lengths, n)
        x = self.emb(ids)
        for layer in self.layers:
            x = layer(x, causal, pad)
        return self.head(x)


def lm_loss(model: TinyLM, ids: Tensor, lengths: List[int]) -> Tensor:
    logits = model(ids[:, :-1], [l - 1 for l in lengths])
    return nn.functional.cross_entropy(logits.transpose(1, 2), ids[:, 1:], ignore_index=model.PAD)


# --- driver ---
torch.manual_seed(3)
lm = TinyLM(20)
tokens = torch.randint(1, 20, (2, 8))
tokens[1, 5:] = 0
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
loss = lm_loss(lm, tokens, [8, 5])
loss.backward()
opt.step()
