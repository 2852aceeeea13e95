import math

import torch
from torch import nn
from torch.nn import functional as F


def get_slopes(n):
    def power_of_2(n):
        start = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [start * start ** i for i in range(n)]

    if math.log2(n).is_integer():
        return power_of_2(n)
    closest = 2 ** math.floor(math.log2(n))
    return power_of_2(closest) + get_slopes(2 * closest)[0::2][: n - closest]


def build_alibi(n_heads, q_len, k_len, dtype):
    slopes = torch.tensor(get_slopes(n_heads), dtype=dtype)
    q_pos = torch.arange(k_len - q_len, k_len)
    dist = torch.arange(k_len)[None, :] - q_pos[:, None]
    return slopes.view(-1, 1, 1) * dist.to(dtype).clamp(max=0)


class AlibiAttention(nn.Module):
    def __init__(self, hidden, n_heads):
        super().__init__()
        self.h = n_heads
        self.d = hidden // n_heads
        self.inv_norm = 1.0 / math.sqrt(self.d)
        self.query_key_value = nn.Linear(hidden, 3 * hidden)
        self.dense = nn.Linear(hidden, hidden)
        self.dropout_p = 0.1

    def _split_heads(self, fused):
        b, t, _ = fused.shape
        fused = fused.view(b, t, self.h, 3, self.d)
        return fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]

    def forward(self, x, alibi, causal):
        b, t, c = x.shape
        q, k, v = self._split_heads(self.query_key_value(x))
        q = q.transpose(1, 2).reshape(b * self.h, t, self.d)
        k = k.permute(0, 2, 3, 1).reshape(b * self.h, self.d, t)
        v = v.transpose(1, 2).reshape(b * self.h, t, self.d)

        matmul_result = torch.baddbmm(alibi.repeat(b, 1, 1), q, k, beta=1.0, alpha=self.inv_norm)
        scores = matmul_result.view(b, self.h, t, t)
        scores = torch.masked_fill(scores, causal, torch.finfo(scores.dtype).min)
        probs = F.softmax(scores, dim=-1, dtype=scores.dtype)  # ATTN
        probs = F.dropout(probs, self.dropout_p, self.training)
        probs = probs.view(b * self.h, t, t)
        ctx = torch.bmm(probs, v)
        ctx = ctx.view(b, self.h, t, self.d).permute(0, 2, 1, 3).reshape(b, t, c)
        return self.dense(ctx)


class AlibiLM(nn.Module):
    def __init__(self, vocab=31, hidden=36, heads=6, layers=2):
        super().__init__()
        self.heads = heads
        self.emb = nn.Embedding(vocab, hidden)
        self.emb_ln = nn.LayerNorm(hidden)
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"ln": nn.LayerNorm(hidden), "attn": AlibiAttention(hidden, heads)}) for _ in range(layers)
        )
        self.ln_f = nn.LayerNorm(hidden)

    def forward(self, ids):
        h = self.emb_ln(self.emb(ids))
        t = ids.shape[1]
        alibi = build_alibi(self.heads, t, t, h.dtype)
        causal = torch.ones(t, t, dtype=torch.bool).triu_(1)
        for blk in self.blocks:
            h = h + blk["attn"](blk["ln"](h), alibi, causal)
        return F.linear(self.ln_f(h), self.emb.weight)


# --- driver ---
torch.manual_seed(14)
lm = AlibiLM().double().eval()
RESULTS = []
for b, t in ((2, 12), (1, 19)):
    lm.zero_grad()
    ids = torch.randint(0, 31, (b, t))
    logits = lm(ids)
    F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).backward()
    RESULTS.append(logits.detach())
    RESULTS += [p.grad.clone() for p in lm.parameters()]
