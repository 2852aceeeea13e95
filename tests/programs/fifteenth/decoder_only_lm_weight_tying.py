"""Decoder-only language model with tied embeddings and a reserved-token filter."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class LMConfig:
    vocab: int = 40
    dim: int = 24
    heads: int = 4
    depth: int = 2
    ctx: int = 16
    reserved: tuple = (0, 1)


class CausalAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h = cfg.heads
        self.d = cfg.dim
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.o = nn.Linear(cfg.dim, cfg.dim)
        self.register_buffer("future", torch.ones(cfg.ctx, cfg.ctx).triu_(1).bool())

    def forward(self, x):
        b, n, _ = x.shape
        packed = self.qkv(x)
        packed[..., : self.d] *= 1.0 / math.sqrt(self.d // self.h)
        q, k, v = packed.view(b, n, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        s = q @ k.mT
        s.masked_fill_(self.future[:n, :n], float("-inf"))
        y = s.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, n, self.d))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = CausalAttention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 4 * cfg.dim), nn.ReLU(inplace=True), nn.Linear(4 * cfg.dim, cfg.dim))

    def forward(self, x):
        a = self.attn(self.ln1(x))
        a += x
        m = self.mlp(self.ln2(a))
        m += a
        return m


class TinyLM(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.zeros(cfg.ctx, cfg.dim))
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.depth))
        self.ln = nn.LayerNorm(cfg.dim)
        nn.init.normal_(self.tok.weight, std=0.02)

    def forward(self, ids):
        x = self.tok(ids)
        x += self.pos[: ids.size(1)]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.ln(x), self.tok.weight)
        logits[..., list(self.cfg.reserved)] = -1e4
        return logits

    def loss(self, ids):
        logits = self(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def param_groups(model, decay):
    no_decay = [p for p in model.parameters() if p.ndim < 2]
    rest = [p for p in model.parameters() if p.ndim >= 2]
    return [{"params": rest, "weight_decay": decay}, {"params": no_decay, "weight_decay": 0.0}]


# --- driver ---
if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(0)
    cfg = LMConfig()
    lm = TinyLM(cfg)
    opt = torch.optim.AdamW(param_groups(lm, 0.1), lr=1e-3)
    for step in range(3):
        loss = lm.loss(torch.randint(2, cfg.vocab, (4, cfg.ctx)))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(lm.parameters(), 1.0)
        opt.step()
        print(step, loss.item())
