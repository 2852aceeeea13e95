import torch
import torch.nn as nn

from .layers import Block
from .positions import POSITIONS


class TinyDecoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.position = POSITIONS[cfg.position](cfg)
        self.blocks = nn.ModuleList(Block(cfg, self.position) for _ in range(cfg.layers))
        self.ln = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.head.weight = self.tok.weight
        mask = torch.ones(cfg.max_len, cfg.max_len, dtype=torch.bool).triu_(1)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, ids):
        x = self.position.embed(self.tok(ids))
        for b in self.blocks:
            x = b(x, self.mask)
        return self.head(self.ln(x))
