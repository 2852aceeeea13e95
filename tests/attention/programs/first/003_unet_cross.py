"""Text-conditioned spatial block, flattened-head layout."""
from typing import Optional

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, query_dim, cross_attention_dim=None, heads=4, dim_head=8, dropout=0.0, bias=False,
                 upcast_attention=False):
        super().__init__()
        inner_dim = dim_head * heads
        cross_attention_dim = cross_attention_dim if cross_attention_dim is not None else query_dim
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.upcast_attention = upcast_attention
        self.to_q = nn.Linear(query_dim, inner_dim, bias=bias)
        self.to_k = nn.Linear(cross_attention_dim, inner_dim, bias=bias)
        self.to_v = nn.Linear(cross_attention_dim, inner_dim, bias=bias)
        self.to_out = nn.ModuleList([nn.Linear(inner_dim, query_dim), nn.Dropout(dropout)])

    def reshape_heads_to_batch_dim(self, tensor):
        batch_size, seq_len, dim = tensor.shape
        tensor = tensor.reshape(batch_size, seq_len, self.heads, dim // self.heads)
        return tensor.permute(0, 2, 1, 3).reshape(batch_size * self.heads, seq_len, dim // self.heads)

    def reshape_batch_dim_to_heads(self, tensor):
        batch_size, seq_len, dim = tensor.shape
        tensor = tensor.reshape(batch_size // self.heads, self.heads, seq_len, dim)
        return tensor.permute(0, 2, 1, 3).reshape(batch_size // self.heads, seq_len, dim * self.heads)

    def forward(self, hidden_states, encoder_hidden_states: Optional[torch.Tensor] = None, attention_mask=None):
        context = hidden_states if encoder_hidden_states is None else encoder_hidden_states
        query = self.reshape_heads_to_batch_dim(self.to_q(hidden_states))
        key = self.reshape_heads_to_batch_dim(self.to_k(context))
        value = self.reshape_heads_to_batch_dim(self.to_v(context))

        if attention_mask is not None:
            attention_mask = attention_mask.repeat_interleave(self.heads, dim=0)

        hidden_states = self._attention(query, key, value, attention_mask)
        for layer in self.to_out:
            hidden_states = layer(hidden_states)
        return hidden_states

    def _attention(self, query, key, value, attention_mask=None):
        if self.upcast_attention:
            query = query.float()
            key = key.float()

        attention_scores = torch.baddbmm(
            torch.empty(query.shape[0], query.shape[1], key.shape[1], dtype=query.dtype, device=query.device),
            query,
            key.transpose(-1, -2),
            beta=0,
            alpha=self.scale,
        )
        if attention_mask is not None:
            attention_scores = attention_scores + attention_mask
        attention_probs = attention_scores.softmax(dim=-1)  # ATTN
        attention_probs = attention_probs.to(value.dtype)

        hidden_states = torch.bmm(attention_probs, value)
        return self.reshape_batch_dim_to_heads(hidden_states)


class SpatialTransformer(nn.Module):
    def __init__(self, channels, ctx_dim):
        super().__init__()
        self.norm = nn.GroupNorm(4, channels)
        self.attn1 = CrossAttention(channels)
        self.attn2 = CrossAttention(channels, ctx_dim)
        self.ln1 = nn.LayerNorm(channels)
        self.ln2 = nn.LayerNorm(channels)

    def forward(self, x, context, ctx_mask=None):
        b, c, h, w = x.shape
        tokens = self.norm(x).permute(0, 2, 3, 1).reshape(b, h * w, c)
        tokens = tokens + self.attn1(self.ln1(tokens))
        tokens = tokens + self.attn2(self.ln2(tokens), context, ctx_mask)
        return x + tokens.reshape(b, h, w, c).permute(0, 3, 1, 2)


# --- driver ---
torch.manual_seed(3)
block = SpatialTransformer(16, 12).double().eval()
RESULTS = []
for hw, L, with_mask in [((6, 5), 9, False), ((4, 4), 7, True)]:
    block.zero_grad()
    x = torch.randn(2, 16, *hw).double().requires_grad_()
    ctx = torch.randn(2, L, 12).double().requires_grad_()
    m = None
    if with_mask:
        keep = torch.ones(2, 1, L, dtype=torch.bool)
        keep[0, :, 4:] = False
        m = torch.zeros(2, 1, L, dtype=torch.float64).masked_fill(~keep, -10000.0)
    y = block(x, ctx, m)
    y.sigmoid().mul(y).sum().backward()
    RESULTS.append(y.detach())
    RESULTS.append(x.grad)
    RESULTS.append(ctx.grad)
    for p in block.parameters():
        RESULTS.append(p.grad.clone())
