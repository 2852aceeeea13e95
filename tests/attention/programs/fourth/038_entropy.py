import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionPool(nn.Module):
    def __init__(self, dim, n_query, heads):
        super().__init__()
        self.query = nn.Parameter(torch.randn(n_query, dim) * 0.5)
        self.heads = heads
        self.kv = nn.Linear(dim, 2 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask):
        b, n, d = x.shape
        dh = d // self.heads
        q = self.query.view(1, -1, self.heads, dh).transpose(1, 2).expand(b, -1, -1, -1)
        k, v = self.kv(x).view(b, n, 2, self.heads, dh).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-2, -1) / math.sqrt(dh)
        att = att.masked_fill(~mask[:, None, None], -1e9)
        att = F.softmax(att, dim=-1)  # NOT
        y = (att @ v).transpose(1, 2).reshape(b, -1, d)
        ent = -(att * torch.log(att + 1e-8)).sum(-1).mean()
        return self.out(y), ent


class Classifier(nn.Module):
    def __init__(self, dim=24, n_cls=4, lam=0.01):
        super().__init__()
        self.pool = AttentionPool(dim, 3, 2)
        self.fc = nn.Linear(3 * dim, n_cls)
        self.lam = lam

    def forward(self, x, mask, target):
        pooled, ent = self.pool(x, mask)
        logits = self.fc(pooled.flatten(1))
        return F.cross_entropy(logits, target) + self.lam * ent


def make():
    torch.manual_seed(19)
    m = Classifier().train()
    mask = torch.ones(3, 8, dtype=torch.bool)
    mask[2, 5:] = False
    return m, (torch.randn(3, 8, 24, requires_grad=True), mask, torch.tensor([0, 3, 1]))
