"""Retrieval model: history tower, item table of bounded norm, full-softmax loss with a margin on hard negatives."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ItemTable(nn.Module):
    def __init__(self, n_items, dim, max_norm=1.5):
        super().__init__()
        self.table = nn.Embedding(n_items, dim, max_norm=max_norm)
        self.pop = nn.Embedding(n_items, 1)
        nn.init.zeros_(self.pop.weight)

    def lookup(self, ids):
        return self.table(ids)

    def all_scores(self, user):
        return user @ self.table.weight.t() + self.pop.weight.squeeze(-1)


class HistoryTower(nn.Module):
    """Attention pooling of the last items, with the user's static features."""

    def __init__(self, items: ItemTable, dim, static):
        super().__init__()
        self.lookup = items.lookup
        self.static = nn.Linear(static, dim)
        self.query = nn.Parameter(torch.randn(dim) * 0.1)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, history, features):
        h = self.lookup(history)
        w = (h @ self.query).softmax(-1)
        pooled = (w.unsqueeze(-1) * h).sum(1)
        return self.mlp(torch.cat([pooled, self.static(features)], -1))


class HardNegatives:
    """Picks the best-scored items that the user did not take."""

    def __init__(self, k):
        self.k = k

    def __call__(self, scores, taken):
        return scores.detach().scatter(1, taken, float("-inf")).topk(self.k, dim=1).indices


class Retrieval(nn.Module):
    def __init__(self, n_items=50, dim=12, static=4, hard=5, margin=0.2):
        super().__init__()
        self.items = ItemTable(n_items, dim)
        self.users = HistoryTower(self.items, dim, static)
        self.mine = HardNegatives(hard)
        self.margin = margin

    def losses(self, history, features, target):
        user = self.users(history, features)
        scores = self.items.all_scores(user)
        softmax = F.cross_entropy(scores, target)
        hard = self.mine(scores, torch.cat([history, target[:, None]], 1))
        negatives = self.items.lookup(hard)  # BUG
        neg = torch.einsum("bd,bkd->bk", F.normalize(user, dim=-1), negatives)
        pos = scores.gather(1, target[:, None])
        return {"softmax": softmax, "margin": F.relu(self.margin + neg - pos).mean()}

    @torch.no_grad()
    def recommend(self, history, features, k=3):
        scores = self.items.all_scores(self.users(history, features))
        return scores.scatter_(1, history, float("-inf")).topk(k).indices


class Sessions:
    def __init__(self, n_items, groups=5, seed=0):
        self.g = torch.Generator().manual_seed(seed)
        self.n, self.groups = n_items, groups

    def batch(self, size, length=6):
        base = torch.randint(0, self.groups, (size, 1), generator=self.g)
        step = torch.randint(0, self.n // self.groups, (size, length + 1), generator=self.g)
        ids = base + self.groups * step
        feats = torch.randn(size, 4, generator=self.g) + base
        return ids[:, :-1], feats, ids[:, -1]


# --- driver ---
torch.manual_seed(0)
model = Retrieval()
data = Sessions(50)
opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
for _ in range(3):
    batch = data.batch(16)
    opt.zero_grad()
    loss = sum(model.losses(*batch).values())
    loss.backward()
    opt.step()
print(model.recommend(*batch[:2])[:2])
