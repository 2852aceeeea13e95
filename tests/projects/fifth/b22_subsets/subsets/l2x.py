import torch
from torch import nn

from .relaxed import SubsetOperator


class Explainer(nn.Module):
    def __init__(self, vocab, dim=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.local = nn.Conv1d(dim, dim, 3, padding=1)
        self.glob = nn.Linear(dim, dim)
        self.out = nn.Linear(2 * dim, 1)
        self.act = nn.ReLU(inplace=True)

    def forward(self, tok):
        e = self.emb(tok)
        loc = self.act(self.local(e.transpose(1, 2))).transpose(1, 2)
        g = self.act(self.glob(e.mean(1, keepdim=True))).expand_as(loc)
        return self.out(torch.cat([loc, g], -1)).squeeze(-1)


class L2X(nn.Module):
    """Learning to explain: pick k tokens, classify from them.

    forward(tok (B, T)) -> logits (B, classes), selection (B, T)
    """

    def __init__(self, vocab, k=3, classes=2, dim=8, **subset_kwargs):
        super().__init__()
        self.explainer = Explainer(vocab, dim)
        self.subset = SubsetOperator(k, **subset_kwargs)
        self.emb = nn.Embedding(vocab, dim)
        self.cls = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(True), nn.Linear(dim, classes))

    def forward(self, tok):
        sel = self.subset(self.explainer(tok))
        x = (self.emb(tok) * sel.unsqueeze(-1)).sum(1)
        x /= self.subset.k
        return self.cls(x), sel
