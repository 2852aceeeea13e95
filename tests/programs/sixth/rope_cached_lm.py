import dataclasses
import typing as t

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclasses.dataclass
class Config:
    vocab: int = 17
    dim: int = 16
    heads: int = 2
    layers: int = 2
    base: float = 10000.0
    max_len: int = 12


class RotaryCache(nn.Module):
    """One table shared by all layers; recomputed for the offset that is asked for."""

    def __init__(self, head_dim: int, max_len: int, base: float):
        super().__init__()
        inv = 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
        self.register_buffer("inv_freq", inv, persistent=False)
        self.register_buffer("cos", torch.ones(max_len, head_dim // 2), persistent=False)
        self.register_buffer("sin", torch.zeros(max_len, head_dim // 2), persistent=False)
        self.max_len = max_len

    def build(self, offset: int) -> None:
        pos = torch.arange(self.max_len).float()
        pos += offset
        phase = torch.outer(pos, self.inv_freq)
        torch.cos(phase, out=self.cos)  # BUG
        self.sin = torch.sin(phase)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[-2]
        x1, x2 = x[..., ::2], x[..., 1::2]
        cos, sin = self.cos[:n], self.sin[:n]
        return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)


class Attention(nn.Module):
    def __init__(self, cfg: Config, rope: RotaryCache):
        super().__init__()
        self.h = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim, bias=False)
        self.o = nn.Linear(cfg.dim, cfg.dim, bias=False)
        self.rope = rope

    def forward(self, x: torch.Tensor, offset: int) -> torch.Tensor:
        b, n, d = x.shape
        q, k, v = (z.view(b, n, self.h, -1).transpose(1, 2) for z in self.qkv(x).split(d, -1))
        self.rope.build(offset)
        q, k = self.rope(q), self.rope(k)
        s = q @ k.transpose(-1, -2)
        s /= q.shape[-1] ** 0.5
        s.masked_fill_(torch.ones(n, n, dtype=torch.bool).triu_(1), float("-inf"))
        return self.o((s.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, cfg: Config, rope: RotaryCache):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = Attention(cfg, rope)
        self.ff = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.ReLU(inplace=True), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x: torch.Tensor, offset: int) -> torch.Tensor:
        x = x + self.attn(self.ln1(x), offset)
        return x + self.ff(self.ln2(x))


class LM(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.rope = RotaryCache(cfg.dim // cfg.heads, cfg.max_len, cfg.base)
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(Block(cfg, self.rope) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids: torch.Tensor, offset: int = 0) -> torch.Tensor:
        x = self.tok(ids)
        for blk in self.blocks:
            x = blk(x, offset)
        return self.head(x)


def lm_loss(model: LM, ids: torch.Tensor, weights: t.Optional[torch.Tensor] = None) -> torch.Tensor:
    logits = model(ids[:, :-1], offset=int(torch.randint(0, 5, ())))
    nll = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none")
    return (nll if weights is None else nll * weights).mean()


# --- driver ---
torch.manual_seed(0)
lm = LM(Config())
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
lm_loss(lm, torch.randint(0, 17, (2, 9))).backward()
opt.step()
