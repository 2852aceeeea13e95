import torch
import torch.nn as nn


class Position(nn.Module):
    """A scheme can act on the embeddings, on (q, k), or both."""

    def embed(self, x):
        return x

    def rotate(self, t):
        return t


class Learned(Position):
    def __init__(self, cfg):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(cfg.max_len, cfg.dim))
        nn.init.normal_(self.table, std=0.02)

    def embed(self, x):
        return x + self.table[: x.size(1)]


class Rotary(Position):
    def __init__(self, cfg):
        super().__init__()
        d = cfg.dim // cfg.heads
        freq = 1.0 / (100 ** (torch.arange(0, d, 2).float() / d))
        ang = torch.outer(torch.arange(cfg.max_len).float(), freq)
        self.register_buffer("cos", ang.cos(), persistent=False)
        self.register_buffer("sin", ang.sin(), persistent=False)
        self.half = d // 2

    def rotate(self, t):
        n = t.size(-2)
        cos, sin = self.cos[:n], self.sin[:n]
        a = t[..., : self.half].clone()
        b = t[..., self.half:].clone()
        t[..., : self.half] = a * cos - b * sin  # BUG
        t[..., self.half:] = a * sin + b * cos
        return t


POSITIONS = {"learned": Learned, "rotary": Rotary}
