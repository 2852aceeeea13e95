import math
import torch
from torch import nn


class T5Attention(nn.Module):
    def __init__(self, d_model=32, d_kv=8, num_heads=4, num_buckets=8, max_distance=20, dropout_rate=0.1):
        super().__init__()
        self.n_heads = num_heads
        self.key_value_proj_dim = d_kv
        self.dropout = dropout_rate
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        inner = num_heads * d_kv
        self.q = nn.Linear(d_model, inner, bias=False)
        self.k = nn.Linear(d_model, inner, bias=False)
        self.v = nn.Linear(d_model, inner, bias=False)
        self.o = nn.Linear(inner, d_model, bias=False)
        self.relative_attention_bias = nn.Embedding(num_buckets, num_heads)

    def _bucket(self, rel):
        n_buckets = self.num_buckets // 2
        ret = (rel > 0).long() * n_buckets
        n = rel.abs()
        max_exact = n_buckets // 2
        large = max_exact + (
            torch.log(n.clamp(min=1).float() / max_exact)
            / math.log(self.max_distance / max_exact) * (n_buckets - max_exact)
        ).long()
        large = torch.min(large, torch.full_like(large, n_buckets - 1))
        return ret + torch.where(n < max_exact, n, large)

    def compute_bias(self, qlen, klen):
        ctx = torch.arange(qlen)[:, None]
        mem = torch.arange(klen)[None, :]
        values = self.relative_attention_bias(self._bucket(mem - ctx))
        return values.permute([2, 0, 1]).unsqueeze(0)

    def forward(self, hidden_states, mask=None):
        bs, n = hidden_states.shape[:2]

        def shape(states):
            return states.view(bs, -1, self.n_heads, self.key_value_proj_dim).transpose(1, 2)

        query_states = shape(self.q(hidden_states))
        key_states = shape(self.k(hidden_states))
        value_states = shape(self.v(hidden_states))

        scores = torch.matmul(query_states, key_states.transpose(3, 2))
        position_bias = self.compute_bias(n, n)
        if mask is not None:
            position_bias = position_bias + mask
        scores += position_bias
        attn_weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)  # ATTN
        attn_weights = nn.functional.dropout(attn_weights, p=self.dropout, training=self.training)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).contiguous().view(bs, -1, self.n_heads * self.key_value_proj_dim)
        return self.o(attn_output)


def make():
    torch.manual_seed(5)
    layer = T5Attention()
    layer.eval()
    x = torch.randn(2, 9, 32, requires_grad=True)
    keep = torch.ones(2, 9)
    keep[1, 6:] = 0
    mask = (1.0 - keep)[:, None, None, :] * torch.finfo(torch.float32).min
    return layer, (x, mask)
