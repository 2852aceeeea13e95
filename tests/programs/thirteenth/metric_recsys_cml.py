"""Collaborative metric learning with popularity-aware full-catalogue term."""
import torch
from torch import nn
import torch.nn.functional as F


class BallEmbedding(nn.Embedding):
    """Rows are kept inside the unit ball."""

    def __init__(self, n, d):
        super().__init__(n, d, max_norm=1.0)
        nn.init.normal_(self.weight, std=0.6)

    @property
    def table(self):
        return self.weight


class CML(nn.Module):
    def __init__(self, n_users, n_items, dim=12, margin=0.5):
        super().__init__()
        self.user, self.item = BallEmbedding(n_users, dim), BallEmbedding(n_items, dim)
        self.bias = nn.Parameter(torch.zeros(n_items))
        self.margin = margin

    def catalogue_scores(self, u):
        return u @ self.item.table.t() + self.bias

    def triplet(self, u, pos, neg):
        items = self.item(torch.cat([pos[:, None], neg], dim=1))  # BUG
        dist = (u[:, None] - items).square().sum(-1)
        return F.relu(self.margin + dist[:, 0] - dist[:, 1:].amin(1)).mean()

    def forward(self, users, pos, neg):
        u = self.user(users)
        softmax_term = F.cross_entropy(self.catalogue_scores(u), pos)
        return self.triplet(u, pos, neg) + 0.1 * softmax_term + 0.01 * self.decorrelate()

    def decorrelate(self):
        z = torch.cat([self.user.table, self.item.table])
        z = z - z.mean(0)
        cov = z.t() @ z / len(z)
        off = cov - torch.diag(cov.diagonal())
        return off.square().sum()


class ImplicitData:
    def __init__(self, n_users, n_items, per_user=5):
        self.n_items = n_items
        self.pos = torch.stack([torch.randperm(n_items)[:per_user] for _ in range(n_users)])

    def batches(self, size, n_neg=4):
        order = torch.randperm(len(self.pos))
        for users in order.split(size):
            pick = torch.randint(0, self.pos.shape[1], (len(users),))
            yield users, self.pos[users, pick], torch.randint(0, self.n_items, (len(users), n_neg))

    def recall_at(self, k, scores):
        top = scores.topk(k, dim=1).indices
        hit = (top[:, :, None] == self.pos[:, None, :]).any(1)
        return hit.float().mean().item()


class Trainer:
    def __init__(self, model, data, lr=0.05):
        self.model, self.data = model, data
        self.opt = torch.optim.Adagrad(model.parameters(), lr=lr)

    def epoch(self, size=16):
        losses = []
        for batch in self.data.batches(size):
            loss = self.model(*batch)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def evaluate(self, k=5):
        users = torch.arange(len(self.data.pos))
        return self.data.recall_at(k, self.model.catalogue_scores(self.model.user(users)))


# --- driver ---
torch.manual_seed(0)
data = ImplicitData(48, 30)
trainer = Trainer(CML(48, 30), data)
for e in range(2):
    print(e, trainer.epoch(), trainer.evaluate())
