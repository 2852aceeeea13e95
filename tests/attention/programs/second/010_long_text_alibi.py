import math

import torch
from torch import nn


def get_slopes(n):
    def pow2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start ** i for i in range(n)]
    if math.log2(n).is_integer():
        return pow2(n)
    closest = 2 ** math.floor(math.log2(n))
    return pow2(closest) + get_slopes(2 * closest)[0::2][:n - closest]


def build_alibi_bias(n_heads, length):
    slopes = torch.tensor(get_slopes(n_heads))
    rel = torch.arange(length)[None, :] - torch.arange(length)[:, None]
    bias = slopes.view(-1, 1, 1) * rel.clamp(max=0)
    future = torch.triu(torch.full((length, length), float("-inf")), diagonal=1)
    return bias + future


class AlibiAttention(nn.Module):
    def __init__(self, hidden, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.head_size = hidden // n_heads
        self.inv_norm = 1.0 / math.sqrt(self.head_size)
        self.qkv = nn.Linear(hidden, 3 * hidden)
        self.dense = nn.Linear(hidden, hidden)

    def _split(self, fused):
        b, l, _ = fused.shape
        # bloom layout: heads outermost, then q/k/v
        fused = fused.view(b, l, self.n_heads, 3, self.head_size)
        return fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]

    def forward(self, hidden, bias):
        b, l, d = hidden.shape
        q, k, v = self._split(self.qkv(hidden))
        q = q.transpose(1, 2).reshape(b * self.n_heads, l, self.head_size)
        k = k.permute(0, 2, 3, 1).reshape(b * self.n_heads, self.head_size, l)
        v = v.transpose(1, 2).reshape(b * self.n_heads, l, self.head_size)

        alibi = bias.to(q.dtype).repeat(b, 1, 1)
        scores = alibi.baddbmm(batch1=q, batch2=k, beta=1.0, alpha=self.inv_norm)
        probs = torch.softmax(scores, dim=-1)  # ATTN
        ctx = torch.bmm(probs, v)
        ctx = ctx.view(b, self.n_heads, l, self.head_size).permute(0, 2, 1, 3).reshape(b, l, d)
        return self.dense(ctx)


class AlibiLM(nn.Module):
    def __init__(self, vocab=19, hidden=24, n_heads=6, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.attn = nn.ModuleList(AlibiAttention(hidden, n_heads) for _ in range(layers))
        self.ln = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.n_heads = n_heads
        self.out = nn.Linear(hidden, vocab)

    def forward(self, ids):
        bias = build_alibi_bias(self.n_heads, ids.shape[1])
        x = self.emb(ids)
        for ln, a in zip(self.ln, self.attn):
            x = x + a(ln(x), bias)
        return self.out(x)


# --- driver ---
torch.manual_seed(10)
lm = AlibiLM().double()
lm.eval()
RESULTS = []
for length in (6, 13):
    ids = torch.randint(19, (3, length))
    lm.zero_grad()
    y = lm(ids)
    y.log_softmax(-1).pow(2).mean().backward()
    RESULTS.append(y.detach())
    RESULTS.extend(p.grad.detach().clone() for p in lm.parameters())
