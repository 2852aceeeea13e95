"""A causal language model with rotary positions and grouped queries."""

from __future__ import annotations

import torch
from torch import nn

from .parts import RMSNorm


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return turned


def apply_rotary(
    q: torch.Tensor, k: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    q_out = (q * cos) + (rotate_half(q) * sin)
    k_out = (k * cos) + (rotate_half(k) * sin)
    return q_out, k_out


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.heads, self.kv_heads = heads, kv_heads
        self.head_width = width // heads
        self.q_proj = nn.Linear(width, heads * self.head_width)
        self.kv_proj = nn.Linear(width, 2 * kv_heads * self.head_width)
        self.o_proj = nn.Linear(width, width)
        self.dropout = nn.Dropout(0.1)

    def forward(self, x: torch.Tensor, positions: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        batch, length, _ = x.shape
        q = self.q_proj(x).view(batch, length, self.heads, -1).transpose(1, 2)
        kv = self.kv_proj(x).view(batch, length, 2, self.kv_heads, -1).permute(2, 0, 3, 1, 4)
        k, v = kv.unbind(0)
        cos, sin = positions
        q, k = apply_rotary(q, k, cos, sin)
        k = k.repeat_interleave(self.heads // self.kv_heads, dim=1)
        v = v.repeat_interleave(self.heads // self.kv_heads, dim=1)
        scores = torch.matmul(q, k.transpose(-2, -1)) * self.head_width**-0.5
        causal = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores = scores.masked_fill(causal, float("-inf"))
        weights = scores.softmax(dim=-1)
        weights = self.dropout(weights)
        out = weights @ v
        out = out.transpose(1, 2).reshape(batch, length, -1)
        return self.o_proj(out)


class GatedMLP(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, width * 2)
        self.up = nn.Linear(width, width * 2)
        self.down = nn.Linear(width * 2, width)
        self.act_fn = nn.SiLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = self.gate(x)
        gate = self.act_fn(gate)
        up = self.up(x)
        hidden = gate * up
        return self.down(hidden)


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.attn_norm = RMSNorm(width)
        self.attn = Attention(width, 4, 2)
        self.mlp_norm = RMSNorm(width)
        self.mlp = GatedMLP(width)

    def forward(self, x: torch.Tensor, positions: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        residual = x
        x = self.attn_norm(x)
        x = self.attn(x, positions)
        x = residual + x
        residual = x
        x = self.mlp_norm(x)
        x = self.mlp(x)
        x = residual + x
        return x


class Decoder(nn.Module):
    def __init__(self, words: int = 64, width: int = 16, depth: int = 2) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList([Layer(width) for _ in range(depth)])
        self.norm = RMSNorm(width)
        self.head_width = width // 4

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        steps = torch.arange(tokens.shape[1])[:, None] * torch.ones(self.head_width)
        positions = steps.cos(), steps.sin()
        for layer in self.layers:
            x = layer(x, positions)
        x = self.norm(x)
        logits = x @ self.embed.weight.t()
        return logits
