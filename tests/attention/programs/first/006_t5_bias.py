import math

import torch
import torch.nn as nn


class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class T5Attention(nn.Module):
    def __init__(self, d_model=32, d_kv=8, num_heads=4, num_buckets=16, is_decoder=False, has_bias=True):
        super().__init__()
        self.is_decoder = is_decoder
        self.n_heads = num_heads
        self.key_value_proj_dim = d_kv
        self.inner_dim = num_heads * d_kv
        self.dropout = 0.1
        self.num_buckets = num_buckets
        self.q = nn.Linear(d_model, self.inner_dim, bias=False)
        self.k = nn.Linear(d_model, self.inner_dim, bias=False)
        self.v = nn.Linear(d_model, self.inner_dim, bias=False)
        self.o = nn.Linear(self.inner_dim, d_model, bias=False)
        if has_bias:
            self.relative_attention_bias = nn.Embedding(num_buckets, num_heads)
        nn.init.normal_(self.q.weight, std=(d_model * d_kv) ** -0.5)

    @staticmethod
    def _relative_position_bucket(rel, bidirectional=True, num_buckets=16, max_distance=64):
        ret = 0
        if bidirectional:
            num_buckets //= 2
            ret = ret + (rel > 0).to(torch.long) * num_buckets
            n = torch.abs(rel)
        else:
            n = -torch.min(rel, torch.zeros_like(rel))
        max_exact = num_buckets // 2
        is_small = n < max_exact
        large = max_exact + (
            torch.log(n.float().clamp(min=1) / max_exact) / math.log(max_distance / max_exact) * (num_buckets - max_exact)
        ).to(torch.long)
        large = torch.min(large, torch.full_like(large, num_buckets - 1))
        return ret + torch.where(is_small, n, large)

    def compute_bias(self, qlen, klen):
        ctx = torch.arange(qlen)[:, None]
        mem = torch.arange(klen)[None, :]
        bucket = self._relative_position_bucket(mem - ctx, not self.is_decoder, self.num_buckets)
        values = self.relative_attention_bias(bucket)
        return values.permute([2, 0, 1]).unsqueeze(0)

    def forward(self, hidden, mask=None, kv=None, position_bias=None):
        bs, qlen, _ = hidden.size()
        source = hidden if kv is None else kv

        def shape(states):
            return states.view(bs, -1, self.n_heads, self.key_value_proj_dim).transpose(1, 2)

        def unshape(states):
            return states.transpose(1, 2).contiguous().view(bs, -1, self.inner_dim)

        q, k, v = shape(self.q(hidden)), shape(self.k(source)), shape(self.v(source))
        scores = torch.einsum("bnqd,bnkd->bnqk", q, k)
        if position_bias is None:
            position_bias = self.compute_bias(qlen, source.size(1))
            if mask is not None:
                position_bias = position_bias + mask
        scores += position_bias
        weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)  # ATTN
        weights = nn.functional.dropout(weights, p=self.dropout, training=self.training)
        context = unshape(torch.matmul(weights, v))
        return self.o(context), position_bias


class T5Stack(nn.Module):
    def __init__(self, layers=2, d_model=32):
        super().__init__()
        self.layers = nn.ModuleList(T5Attention(d_model, has_bias=i == 0) for i in range(layers))
        self.norms = nn.ModuleList(RMSNorm(d_model) for _ in range(layers))

    def forward(self, x, mask=None):
        bias = None
        for norm, layer in zip(self.norms, self.layers):
            out, bias = layer(norm(x), mask=mask, position_bias=bias)
            x = x + out
        return x


# --- driver ---
torch.manual_seed(6)
m = T5Stack().double().eval()
RESULTS = []
for L, use_mask in ((10, False), (15, True)):
    m.zero_grad()
    x = torch.randn(2, L, 32, dtype=torch.float64).requires_grad_(True)
    mask = None
    if use_mask:
        mask = torch.zeros(2, 1, 1, L, dtype=torch.float64)
        mask[1, ..., 9:] = -1e4
    y = m(x, mask)
    torch.cos(y).sum().backward()
    RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in m.parameters()]
