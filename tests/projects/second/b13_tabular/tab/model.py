from torch import nn

from .blocks import FeedForward
from .embeddings import FeatureTokenizer


class TabTransformer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = FeatureTokenizer(cfg)
        self.ff = FeedForward(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.out)

    def forward(self, cat, num):
        x = self.tok(cat, num)
        x = x + self.ff(x)
        return self.head(x.mean(1))
