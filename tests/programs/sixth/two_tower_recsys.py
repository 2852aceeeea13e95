import torch
import torch.nn as nn
import torch.nn.functional as F


class InteractionLog:
    """Implicit feedback kept as padded item histories."""

    def __init__(self, n_users, n_items, hist_len, generator):
        self.hist = torch.randint(1, n_items, (n_users, hist_len), generator=generator)
        lengths = torch.randint(1, hist_len + 1, (n_users,), generator=generator)
        pad = torch.arange(hist_len).unsqueeze(0) >= lengths.unsqueeze(1)
        self.hist.masked_fill_(pad, 0)
        self.counts = torch.zeros(n_items)
        self.counts.scatter_add_(0, self.hist.flatten(), torch.ones(self.hist.numel()))

    def sampling_weights(self, power=0.75):
        w = self.counts.pow(power)
        w[0] = 0
        return w / w.sum()


class ItemTable(nn.Module):
    def __init__(self, n_items, dim, max_norm=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_items, dim))
        self.max_norm = max_norm

    def all(self):
        return self.weight

    def lookup(self, ids):
        return F.embedding(ids, self.weight, padding_idx=0, max_norm=self.max_norm)  # BUG


class UserTower(nn.Module):
    def __init__(self, table, dim):
        super().__init__()
        self.table = table
        self.query = nn.Linear(dim, 1)
        self.out = nn.Linear(dim, dim)

    def forward(self, hist):
        emb = self.table.lookup(hist)
        att = self.query(torch.tanh(emb)).squeeze(-1)
        att.masked_fill_(hist.eq(0), -1e4)
        pooled = (att.softmax(-1).unsqueeze(-1) * emb).sum(1)
        return self.out(pooled)


class TwoTower(nn.Module):
    def __init__(self, n_items, dim):
        super().__init__()
        self.table = ItemTable(n_items, dim)
        self.user = UserTower(self.table, dim)
        self.popularity = nn.Parameter(torch.zeros(n_items))

    def score_all(self, users):
        return users @ self.table.all().t() + self.popularity

    def forward(self, hist, pos, neg):
        users = self.user(hist)
        full = self.score_all(users)
        softmax_loss = F.cross_entropy(full, pos)
        pos_s = (users * self.table.lookup(pos)).sum(-1)
        neg_s = (users * self.table.lookup(neg)).sum(-1)
        bpr = F.softplus(neg_s - pos_s).mean()
        return softmax_loss + bpr


def fit(model, log, batches, lr=0.05):
    opt = torch.optim.Adagrad(model.parameters(), lr=lr)
    weights = log.sampling_weights()
    for users, pos in batches:
        neg = torch.multinomial(weights, len(users), replacement=True)
        loss = model(log.hist[users], pos, neg)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


# --- driver ---
g = torch.Generator().manual_seed(0)
torch.manual_seed(0)
log = InteractionLog(6, 12, 4, g)
fit(TwoTower(12, 5), log, [(torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5]))] * 2)
