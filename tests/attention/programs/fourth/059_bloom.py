import math
import torch
from torch import nn
import torch.nn.functional as F


def alibi_slopes(n):
    start = 2 ** (-(2 ** -(math.log2(n) - 3)))
    return torch.tensor([start ** (i + 1) for i in range(n)])


def build_alibi(attention_mask, num_heads):
    slopes = alibi_slopes(num_heads)
    pos = ((attention_mask.cumsum(dim=-1) - 1) * attention_mask)[:, None, :]
    alibi = slopes[..., None] * pos
    return alibi.reshape(attention_mask.shape[0] * num_heads, 1, attention_mask.shape[1]).float()


class BloomAttention(nn.Module):
    def __init__(self, hidden_size=32, n_head=4, attention_dropout=0.0):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = n_head
        self.head_dim = hidden_size // n_head
        self.inv_norm_factor = 1.0 / math.sqrt(self.head_dim)
        self.beta = 1.0
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size, bias=True)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.attention_dropout = nn.Dropout(attention_dropout)

    def forward(self, hidden_states, alibi, attention_mask):
        fused = self.query_key_value(hidden_states)
        b, n, _ = fused.shape
        fused = fused.view(b, n, self.num_heads, 3, self.head_dim)
        query, key, value = fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]
        query = query.transpose(1, 2).reshape(b * self.num_heads, n, self.head_dim)
        key = key.permute(0, 2, 3, 1).reshape(b * self.num_heads, self.head_dim, n)
        value = value.transpose(1, 2).reshape(b * self.num_heads, n, self.head_dim)

        matmul_result = torch.baddbmm(alibi, query, key, beta=self.beta, alpha=self.inv_norm_factor)
        attention_scores = matmul_result.view(b, self.num_heads, n, n)
        attn_weights = torch.masked_fill(attention_scores, attention_mask, torch.finfo(attention_scores.dtype).min)
        attention_probs = F.softmax(attn_weights, dim=-1, dtype=torch.float32).to(hidden_states.dtype)  # ATTN
        attention_probs = self.attention_dropout(attention_probs)
        probs = attention_probs.view(b * self.num_heads, n, n)
        context = torch.bmm(probs, value)

        context = context.view(b, self.num_heads, n, self.head_dim).permute(0, 2, 1, 3)
        return self.dense(context.reshape(b, n, self.hidden_size))


def make():
    torch.manual_seed(21)
    m = BloomAttention().train()
    x = torch.randn(2, 7, 32, requires_grad=True)
    mask = torch.ones(2, 7, dtype=torch.long)
    mask[1, 5:] = 0
    causal = torch.ones(7, 7, dtype=torch.bool).triu(1)
    return m, (x, build_alibi(mask, 4), causal[None, None] | (mask == 0)[:, None, None, :])
