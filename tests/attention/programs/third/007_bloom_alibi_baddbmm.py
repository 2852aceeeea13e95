"""BLOOM-like attention: ALiBi added by baddbmm, fused qkv, masked_fill with finfo.min."""
import math

import torch
from torch import nn
from torch.nn import functional as F


def build_alibi_tensor(attention_mask: torch.Tensor, num_heads: int, dtype: torch.dtype) -> torch.Tensor:
    batch_size, seq_length = attention_mask.shape
    closest = 2 ** math.floor(math.log2(num_heads))
    base = torch.tensor(2 ** (-(2 ** -(math.log2(closest) - 3))), dtype=torch.float32)
    powers = torch.arange(1, 1 + closest, dtype=torch.int32)
    slopes = torch.pow(base, powers)
    if closest != num_heads:
        extra = torch.tensor(2 ** (-(2 ** -(math.log2(2 * closest) - 3))), dtype=torch.float32)
        n = min(closest, num_heads - closest)
        slopes = torch.cat([slopes, torch.pow(extra, torch.arange(1, 1 + 2 * n, 2))], dim=0)
    arange_tensor = ((attention_mask.cumsum(dim=-1) - 1) * attention_mask)[:, None, :]
    alibi = slopes[..., None] * arange_tensor
    return alibi.reshape(batch_size * num_heads, 1, seq_length).to(dtype)


class BloomAttention(nn.Module):
    def __init__(self, hidden_size, n_head):
        super().__init__()
        self.num_heads = n_head
        self.hidden_size = hidden_size
        self.head_dim = hidden_size // n_head
        self.inv_norm_factor = 1.0 / math.sqrt(self.head_dim)
        self.beta = 1.0
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size, bias=True)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.attention_dropout = nn.Dropout(0.1)

    def _split_heads(self, fused_qkv):
        b, s, _ = fused_qkv.shape
        fused_qkv = fused_qkv.view(b, s, self.num_heads, 3, self.head_dim)
        return fused_qkv[..., 0, :], fused_qkv[..., 1, :], fused_qkv[..., 2, :]

    def _merge_heads(self, x):
        bh, s, _ = x.shape
        b = bh // self.num_heads
        x = x.view(b, self.num_heads, s, self.head_dim).permute(0, 2, 1, 3)
        return x.reshape(b, s, self.num_heads * self.head_dim)

    def forward(self, hidden_states, residual, alibi, attention_mask):
        query_layer, key_layer, value_layer = self._split_heads(self.query_key_value(hidden_states))
        batch_size, q_length, _, _ = query_layer.shape
        query_layer = query_layer.transpose(1, 2).reshape(batch_size * self.num_heads, q_length, self.head_dim)
        key_layer = key_layer.permute(0, 2, 3, 1).reshape(batch_size * self.num_heads, self.head_dim, q_length)
        value_layer = value_layer.transpose(1, 2).reshape(batch_size * self.num_heads, q_length, self.head_dim)
        _, _, kv_length = key_layer.shape

        matmul_result = alibi.baddbmm(
            batch1=query_layer, batch2=key_layer, beta=self.beta, alpha=self.inv_norm_factor,
        )
        attention_scores = matmul_result.view(batch_size, self.num_heads, q_length, kv_length)
        input_dtype = attention_scores.dtype
        attn_weights = torch.masked_fill(attention_scores, attention_mask, torch.finfo(attention_scores.dtype).min)
        attention_probs = F.softmax(attn_weights, dim=-1, dtype=torch.float32).to(input_dtype)  # ATTN
        attention_probs = self.attention_dropout(attention_probs)
        attention_probs_reshaped = attention_probs.view(batch_size * self.num_heads, q_length, kv_length)
        context_layer = torch.bmm(attention_probs_reshaped, value_layer)
        return self.dense(self._merge_heads(context_layer)) + residual


class Bloom(nn.Module):
    def __init__(self, vocab=21, hidden=24, heads=6, layers=2):
        super().__init__()
        self.heads = heads
        self.emb = nn.Embedding(vocab, hidden)
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.attns = nn.ModuleList(BloomAttention(hidden, heads) for _ in range(layers))

    def forward(self, ids, mask):
        x = self.emb(ids)
        alibi = build_alibi_tensor(mask, self.heads, x.dtype)
        L = ids.shape[1]
        causal = torch.ones(L, L, dtype=torch.bool).triu(1)
        combined = causal[None, None] | (mask[:, None, None, :] == 0)
        for norm, attn in zip(self.norms, self.attns):
            x = attn(norm(x), x, alibi, combined)
        return x @ self.emb.weight.t()


# --- driver ---
def main():
    torch.manual_seed(0)
    model = Bloom().eval()
    ids = torch.randint(0, 21, (2, 6))
    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]])
    logits = model(ids, mask)
    F.cross_entropy(logits[:, :-1].reshape(-1, 21), ids[:, 1:].reshape(-1)).backward()
    return [logits] + [p.grad for p in model.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
