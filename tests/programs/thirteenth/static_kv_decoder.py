"""Decoder-only LM with a static KV cache; trained by unrolling its own decode step (scheduled sampling)."""
from __future__ import annotations
import math
from dataclasses import dataclass
import torch
from torch import nn, Tensor
import torch.nn.functional as F


@dataclass(frozen=True)
class LMConfig:
    vocab: int = 40
    d_model: int = 32
    n_heads: int = 4
    n_layers: int = 2
    max_len: int = 12

    @property
    def head_dim(self) -> int:
        return self.d_model // self.n_heads


class StaticCache:
    def __init__(self, cfg: LMConfig, batch: int):
        shape = (batch, cfg.n_heads, cfg.max_len, cfg.head_dim)
        self.k = [torch.zeros(shape) for _ in range(cfg.n_layers)]
        self.v = [torch.zeros(shape) for _ in range(cfg.n_layers)]
        self.pos = 0

    def update(self, layer: int, k: Tensor, v: Tensor):
        end = self.pos + k.size(2)
        for store, new in ((self.k[layer], k), (self.v[layer], v)):
            store[:, :, self.pos:end] = new  # BUG
        return self.k[layer][:, :, :end], self.v[layer][:, :, :end]

    def advance(self, n: int) -> None:
        self.pos += n


class Attention(nn.Module):
    def __init__(self, cfg: LMConfig, layer: int):
        super().__init__()
        self.cfg, self.layer = cfg, layer
        self.qkv = nn.Linear(cfg.d_model, 3 * cfg.d_model, bias=False)
        self.proj = nn.Linear(cfg.d_model, cfg.d_model, bias=False)

    def forward(self, x: Tensor, cache: StaticCache) -> Tensor:
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.cfg.n_heads, -1).permute(2, 0, 3, 1, 4)
        k, v = cache.update(self.layer, k, v)
        att = (q @ k.transpose(-1, -2)) / math.sqrt(self.cfg.head_dim)
        y = att.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, t, -1))


class Block(nn.Module):
    def __init__(self, cfg: LMConfig, layer: int):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(cfg.d_model), nn.LayerNorm(cfg.d_model)
        self.attn = Attention(cfg, layer)
        self.ff = nn.Sequential(nn.Linear(cfg.d_model, 64), nn.GELU(), nn.Linear(64, cfg.d_model))

    def forward(self, x, cache):
        x = x + self.attn(self.n1(x), cache)
        return x + self.ff(self.n2(x))


class TinyLM(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(cfg.vocab, cfg.d_model)
        self.blocks = nn.ModuleList(Block(cfg, i) for i in range(cfg.n_layers))
        self.out = nn.Linear(cfg.d_model, cfg.vocab)

    def step(self, tok: Tensor, cache: StaticCache) -> Tensor:
        x = self.emb(tok)[:, None]
        for b in self.blocks:
            x = b(x, cache)
        cache.advance(1)
        return self.out(x[:, 0])


def scheduled_sampling_loss(model: TinyLM, seq: Tensor, p_own: float) -> Tensor:
    cache = StaticCache(model.cfg, seq.size(0))
    tok, total = seq[:, 0], torch.zeros(())
    for t in range(1, seq.size(1)):
        logits = model.step(tok, cache)
        total = total + F.cross_entropy(logits, seq[:, t])
        own = torch.rand(seq.size(0)) < p_own
        tok = torch.where(own, logits.argmax(-1), seq[:, t])
    return total / (seq.size(1) - 1)


# --- driver ---
torch.manual_seed(0)
cfg = LMConfig()
lm = TinyLM(cfg)
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
for step in range(2):
    loss = scheduled_sampling_loss(lm, torch.randint(0, cfg.vocab, (3, cfg.max_len)), 0.25)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
