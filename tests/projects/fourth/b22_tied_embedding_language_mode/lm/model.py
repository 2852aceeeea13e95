import torch
import torch.nn as nn
import torch.nn.functional as F


class Mixer(nn.Module):
    def __init__(self, context, dim):
        super().__init__()
        self.pos = nn.Parameter(torch.ones(context, dim) / context)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))

    def forward(self, x):
        h = (x * self.pos).sum(1)
        return h + self.ff(h)


class TiedLM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tokens = nn.Embedding(cfg.vocab, cfg.dim, max_norm=cfg.max_norm)
        self.mixer = Mixer(cfg.context, cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.vocab, bias=True)
        if cfg.tie:
            self.proj.weight = self.tokens.weight

    def encode(self, ids):
        return self.mixer(self.tokens(ids))  # BUG

    def score(self, h):
        return F.linear(h, self.proj.weight, self.proj.bias)

    def groups(self, lr):
        seen = set()
        for name, p in self.named_parameters():
            if id(p) not in seen:
                seen.add(id(p))
                yield {"params": [p], "lr": lr, "weight_decay": 0.0 if name.endswith("bias") else 1e-4}
