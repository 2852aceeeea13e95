"""Click prediction: second order crosses, a deep part, field gates."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from itertools import combinations


class FieldEmbedding(nn.Module):
    def __init__(self, field_sizes, dim):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, dim) for n in field_sizes)
        for t in self.tables:
            nn.init.normal_(t.weight, std=0.1)

    def forward(self, idx):
        return torch.stack([t(idx[:, i]) for i, t in enumerate(self.tables)], 1)


class PairwiseCross(nn.Module):
    def __init__(self, fields):
        super().__init__()
        pairs = list(combinations(range(fields), 2))
        self.register_buffer("left", torch.tensor([p[0] for p in pairs]))
        self.register_buffer("right", torch.tensor([p[1] for p in pairs]))
        self.coef = nn.Parameter(torch.ones(len(pairs)))

    def forward(self, e):
        inner = (e[:, self.left] * e[:, self.right]).sum(-1)
        return (inner * self.coef).sum(-1)


class BiPooling(nn.Module):
    def forward(self, e):
        square_of_sum = e.sum(1).square()
        sum_of_square = e.square().sum(1)
        return 0.5 * (square_of_sum - sum_of_square)


class SqueezeGate(nn.Module):
    """SENet style reweighting of fields."""

    def __init__(self, fields, reduction=2):
        super().__init__()
        mid = max(1, fields // reduction)
        self.fc = nn.Sequential(nn.Linear(fields, mid), nn.ReLU(), nn.Linear(mid, fields), nn.Sigmoid())

    def forward(self, e):
        w = self.fc(e.mean(-1))
        e *= w.unsqueeze(-1)  # BUG
        return e


class CTRNet(nn.Module):
    def __init__(self, field_sizes, dim=4, hidden=8):
        super().__init__()
        n = len(field_sizes)
        self.embed = FieldEmbedding(field_sizes, dim)
        self.linear = FieldEmbedding(field_sizes, 1)
        self.pool = BiPooling()
        self.cross = PairwiseCross(n)
        self.gate = SqueezeGate(n)
        self.deep = nn.Sequential(nn.Linear(n * dim + dim, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, idx):
        e = self.embed(idx)
        pooled = self.pool(e)
        wide = self.linear(idx).sum((1, 2))
        gated = self.gate(e)
        deep = self.deep(torch.cat([gated.flatten(1), pooled], 1)).squeeze(-1)
        return wide + self.cross(gated) + deep


def step(model, opt, idx, click, l2=1e-4):
    reg = sum(t.weight.square().sum() for t in model.embed.tables)
    loss = F.binary_cross_entropy_with_logits(model(idx), click) + l2 * reg
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


# --- driver ---
torch.manual_seed(15)
sizes = [6, 4, 9]
net = CTRNet(sizes)
opt = torch.optim.Adam(net.parameters(), 1e-2)
idx = torch.stack([torch.randint(0, n, (8,)) for n in sizes], 1)
step(net, opt, idx, torch.randint(0, 2, (8,)).float())
