"""Two-tower retrieval with in-batch negatives and a popularity correction."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Popularity:
    """Streaming estimate of how often each item appears in a batch."""

    def __init__(self, n_items, rate=0.05):
        self.freq = torch.full((n_items,), 1.0 / n_items)
        self.rate = rate

    def update(self, items):
        counts = torch.bincount(items, minlength=len(self.freq)).float()
        self.freq.mul_(1 - self.rate).add_(counts / len(items), alpha=self.rate)

    def log_q(self, items):
        return self.freq[items].log_()


class Tower(nn.Module):
    def __init__(self, n_ids, n_feat, dim, pad=None):
        super().__init__()
        self.ids = nn.Embedding(n_ids, dim, padding_idx=pad)
        self.feat = nn.Linear(n_feat, dim)
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))
        with torch.no_grad():
            self.ids.weight.mul_(0.1)
            if pad is not None:
                self.ids.weight[pad] = 0.0

    def forward(self, ids, feat):
        h = self.ids(ids)
        h += self.feat(feat)
        return F.normalize(self.mlp(h), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, n_feat=4, dim=16, temperature=0.1):
        super().__init__()
        self.user, self.item = Tower(n_users, n_feat, dim), Tower(n_items, n_feat, dim, pad=0)
        self.popularity = Popularity(n_items)
        self.temperature = temperature

    def logits(self, users, items):
        u, v = self.user(*users), self.item(*items)
        s = u @ v.t()
        s /= self.temperature
        s -= self.popularity.log_q(items[0])
        same = items[0][:, None].eq(items[0][None])
        same.fill_diagonal_(False)
        s.masked_fill_(same, -1e4)
        return s

    def forward(self, users, items):
        s = self.logits(users, items)
        self.popularity.update(items[0])
        s -= s.detach().amax(1, keepdim=True)
        lse = s.exp().sum(1).log()
        return (lse - s.diagonal()).mean()


class RowwiseAdagrad:
    """One accumulator per embedding row; dense weights use plain SGD."""

    def __init__(self, model, lr=0.05):
        self.lr = lr
        self.tables = {m.weight: torch.zeros(m.num_embeddings, 1) for m in model.modules() if isinstance(m, nn.Embedding)}
        self.dense = [p for p in model.parameters() if p not in self.tables]

    def zero_grad(self):
        for p in (*self.tables, *self.dense):
            p.grad = None

    @torch.no_grad()
    def step(self):
        for w, acc in self.tables.items():
            rows = w.grad.abs().sum(1).nonzero().flatten()
            g = w.grad[rows]
            acc[rows] += g.square().mean(1, keepdim=True)
            w[rows] -= self.lr * g / (acc[rows].sqrt() + 1e-6)
        torch._foreach_add_(self.dense, [p.grad for p in self.dense], alpha=-self.lr)


def interactions(n_users, n_items, n_feat, batch):
    weights = 1.0 / torch.arange(1, n_items).float()
    while True:
        items = weights.multinomial(batch, replacement=True) + 1
        users = torch.randint(0, n_users, (batch,))
        fu, fi = torch.randn(batch, n_feat), torch.randn(batch, n_feat)
        fi[:, 0] = items.float().log()
        yield (users, fu), (items, fi)


# --- driver ---
def main():
    torch.manual_seed(0)
    model = TwoTower(30, 40)
    opt = RowwiseAdagrad(model)
    data = interactions(30, 40, 4, 12)
    for step in range(3):
        loss = model(*next(data))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
