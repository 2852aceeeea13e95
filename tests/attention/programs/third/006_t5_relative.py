"""T5 attention: unscaled dot product and a bucketed relative position bias shared by the layers."""
import math

import torch
from torch import nn


class T5Attention(nn.Module):
    def __init__(self, d_model=16, d_kv=4, n_heads=4, is_decoder=False, has_relative_attention_bias=False):
        super().__init__()
        self.is_decoder = is_decoder
        self.has_relative_attention_bias = has_relative_attention_bias
        self.num_buckets, self.max_distance = 8, 16
        self.n_heads, self.d_kv = n_heads, d_kv
        self.inner_dim = n_heads * d_kv
        self.q = nn.Linear(d_model, self.inner_dim, bias=False)
        self.k = nn.Linear(d_model, self.inner_dim, bias=False)
        self.v = nn.Linear(d_model, self.inner_dim, bias=False)
        self.o = nn.Linear(self.inner_dim, d_model, bias=False)
        if has_relative_attention_bias:
            self.relative_attention_bias = nn.Embedding(self.num_buckets, n_heads)

    @staticmethod
    def _relative_position_bucket(relative_position, bidirectional=True, num_buckets=8, max_distance=16):
        buckets = 0
        if bidirectional:
            num_buckets //= 2
            buckets += (relative_position > 0).to(torch.long) * num_buckets
            relative_position = torch.abs(relative_position)
        else:
            relative_position = -torch.min(relative_position, torch.zeros_like(relative_position))
        max_exact = num_buckets // 2
        is_small = relative_position < max_exact
        large = max_exact + (
            torch.log(relative_position.float().clamp(min=1) / max_exact)
            / math.log(max_distance / max_exact) * (num_buckets - max_exact)
        ).to(torch.long)
        large = torch.min(large, torch.full_like(large, num_buckets - 1))
        return buckets + torch.where(is_small, relative_position, large)

    def compute_bias(self, query_length, key_length):
        context = torch.arange(query_length)[:, None]
        memory = torch.arange(key_length)[None, :]
        bucket = self._relative_position_bucket(memory - context, not self.is_decoder,
                                                self.num_buckets, self.max_distance)
        return self.relative_attention_bias(bucket).permute([2, 0, 1]).unsqueeze(0)

    def forward(self, hidden_states, mask=None, key_value_states=None, position_bias=None):
        batch_size, seq_length = hidden_states.shape[:2]
        key_length = seq_length if key_value_states is None else key_value_states.shape[1]

        def shape(states):
            return states.view(batch_size, -1, self.n_heads, self.d_kv).transpose(1, 2)

        def unshape(states):
            return states.transpose(1, 2).contiguous().view(batch_size, -1, self.inner_dim)

        src = hidden_states if key_value_states is None else key_value_states
        query_states = shape(self.q(hidden_states))
        key_states = shape(self.k(src))
        value_states = shape(self.v(src))
        # compute scores; equivalent of torch.einsum("bnqd,bnkd->bnqk", query_states, key_states)
        scores = torch.matmul(query_states, key_states.transpose(3, 2))

        if position_bias is None:
            if not self.has_relative_attention_bias:
                position_bias = torch.zeros((1, self.n_heads, seq_length, key_length), dtype=scores.dtype)
            else:
                position_bias = self.compute_bias(seq_length, key_length)
            if mask is not None:
                position_bias = position_bias + mask

        scores += position_bias
        attn_weights = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)  # ATTN
        attn_weights = nn.functional.dropout(attn_weights, p=0.1, training=self.training)
        attn_output = unshape(torch.matmul(attn_weights, value_states))
        return self.o(attn_output), position_bias


class T5Stack(nn.Module):
    def __init__(self, n_layers, is_decoder):
        super().__init__()
        self.is_decoder = is_decoder
        self.selfs = nn.ModuleList(
            T5Attention(is_decoder=is_decoder, has_relative_attention_bias=i == 0) for i in range(n_layers)
        )
        self.cross = nn.ModuleList(T5Attention(is_decoder=True) for _ in range(n_layers)) if is_decoder else None

    def forward(self, x, pad=None, enc=None, enc_pad=None):
        L = x.size(1)
        lo = torch.finfo(x.dtype).min
        mask = None
        if self.is_decoder:
            mask = torch.triu(torch.ones(L, L), 1)[None, None] * lo
        elif pad is not None:
            mask = pad[:, None, None, :].float() * lo
        bias = cross_bias = None
        for i, layer in enumerate(self.selfs):
            y, bias = layer(x, mask, position_bias=bias)
            x = x + y
            if self.cross is not None:
                y, cross_bias = self.cross[i](x, enc_pad[:, None, None, :].float() * lo, enc, cross_bias)
                x = x + y
        return x


# --- driver ---
def main():
    torch.manual_seed(0)
    enc, dec = T5Stack(2, False).eval(), T5Stack(2, True).eval()
    src = torch.randn(2, 7, 16, requires_grad=True)
    tgt = torch.randn(2, 5, 16, requires_grad=True)
    pad = torch.arange(7)[None] >= torch.tensor([[7], [5]])
    memory = enc(src, pad)
    out = dec(tgt, enc=memory, enc_pad=pad)
    out.square().mean().backward()
    return [out, memory, src.grad, tgt.grad, *(p.grad for m in (enc, dec) for p in m.parameters())]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
