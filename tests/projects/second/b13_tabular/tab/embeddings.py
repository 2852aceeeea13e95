import torch
from torch import nn


class FeatureTokenizer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.ModuleList(nn.Embedding(c, cfg.dim) for c in cfg.cards)
        self.num = nn.Parameter(torch.randn(cfg.n_num, cfg.dim))
        self.bias = nn.Parameter(torch.zeros(len(cfg.cards) + cfg.n_num, cfg.dim))

    def forward(self, cat, num):
        toks = [e(cat[:, i]) for i, e in enumerate(self.emb)]
        x = torch.cat([torch.stack(toks, 1), num.unsqueeze(-1) * self.num], 1)
        x += self.bias
        return x
