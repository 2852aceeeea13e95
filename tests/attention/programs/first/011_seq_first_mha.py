"""Sequence-first multi-head attention with a packed input projection."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import Parameter


class MultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.head_dim = embed_dim // num_heads
        self.scaling = self.head_dim ** -0.5
        self.in_proj_weight = Parameter(torch.Tensor(3 * embed_dim, embed_dim))
        self.in_proj_bias = Parameter(torch.Tensor(3 * embed_dim)) if bias else None
        self.out_proj = nn.Linear(embed_dim, embed_dim, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.xavier_uniform_(self.out_proj.weight)
        if self.in_proj_bias is not None:
            nn.init.normal_(self.in_proj_bias, std=0.02)
            nn.init.constant_(self.out_proj.bias, 0.0)

    def _in_proj(self, x, start=0, end=None):
        weight = self.in_proj_weight[start:end, :]
        bias = self.in_proj_bias
        if bias is not None:
            bias = bias[start:end]
        return F.linear(x, weight, bias)

    def in_proj_qkv(self, query):
        return self._in_proj(query).chunk(3, dim=-1)

    def in_proj_q(self, query):
        return self._in_proj(query, end=self.embed_dim)

    def in_proj_kv(self, key):
        return self._in_proj(key, start=self.embed_dim).chunk(2, dim=-1)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None):
        """Input shape: Time x Batch x Channel"""
        qkv_same = query.data_ptr() == key.data_ptr() == value.data_ptr()
        tgt_len, bsz, embed_dim = query.size()

        if qkv_same:
            q, k, v = self.in_proj_qkv(query)
        else:
            q = self.in_proj_q(query)
            k, v = self.in_proj_kv(key)
        q = q * self.scaling

        q = q.contiguous().view(tgt_len, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        k = k.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        v = v.contiguous().view(-1, bsz * self.num_heads, self.head_dim).transpose(0, 1)
        src_len = k.size(1)

        attn_weights = torch.bmm(q, k.transpose(1, 2))
        assert list(attn_weights.size()) == [bsz * self.num_heads, tgt_len, src_len]

        if attn_mask is not None:
            attn_weights += attn_mask.unsqueeze(0)
        if key_padding_mask is not None:
            attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
            attn_weights = attn_weights.masked_fill(
                key_padding_mask.unsqueeze(1).unsqueeze(2),
                float("-inf"),
            )
            attn_weights = attn_weights.view(bsz * self.num_heads, tgt_len, src_len)

        attn_weights = F.softmax(attn_weights, dim=-1)  # ATTN
        attn_weights = F.dropout(attn_weights, p=self.dropout, training=self.training)

        attn = torch.bmm(attn_weights, v)
        attn = attn.transpose(0, 1).contiguous().view(tgt_len, bsz, embed_dim)
        attn = self.out_proj(attn)

        if need_weights:
            attn_weights = attn_weights.view(bsz, self.num_heads, tgt_len, src_len)
            attn_weights = attn_weights.sum(dim=1) / self.num_heads
        else:
            attn_weights = None
        return attn, attn_weights


# --- driver ---
torch.manual_seed(11)
mha = MultiheadAttention(24, 3, dropout=0.1).double().eval()
RESULTS = []

x = torch.randn(9, 2, 24, dtype=torch.float64, requires_grad=True)
future = torch.triu(torch.full((9, 9), float("-inf"), dtype=torch.float64), 1)
y, w = mha(x, x, x, need_weights=False, attn_mask=future)
y.tanh().sum().backward()
RESULTS += [y.detach(), x.grad] + [p.grad.clone() for p in mha.parameters()]

mha.zero_grad()
q = torch.randn(5, 3, 24, dtype=torch.float64, requires_grad=True)
mem = torch.randn(11, 3, 24, dtype=torch.float64, requires_grad=True)
pad = torch.arange(11)[None] >= torch.tensor([11, 7, 4])[:, None]
y, w = mha(q, mem, mem, key_padding_mask=pad)
y.square().sum().backward()
RESULTS += [y.detach(), w.detach(), q.grad, mem.grad] + [p.grad.clone() for p in mha.parameters()]
