import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureBag(nn.Module):
    def __init__(self, vocab_sizes, dim):
        super().__init__()
        self.tables = nn.ModuleDict({k: nn.Embedding(v, dim, padding_idx=0) for k, v in vocab_sizes.items()})

    def forward(self, feats):
        out = []
        for name, ids in feats.items():
            e = self.tables[name](ids)
            if ids.dim() == 2:
                valid = (ids != 0).float()
                e = (e * valid.unsqueeze(-1)).sum(1) / valid.sum(1, keepdim=True).clamp_(min=1)
            out.append(e)
        return torch.cat(out, -1)


class Tower(nn.Module):
    def __init__(self, vocab, dim, out):
        super().__init__()
        self.bag = FeatureBag(vocab, dim)
        self.mlp = nn.Sequential(nn.Linear(dim * len(vocab), 2 * out), nn.ReLU(inplace=True), nn.Linear(2 * out, out))

    def forward(self, feats):
        return F.normalize(self.mlp(self.bag(feats)), dim=-1)


class FrequencySketch:
    """Streaming estimate of item sampling probability for the logQ correction."""

    def __init__(self, buckets, alpha=0.05):
        self.last = torch.zeros(buckets)
        self.gap = torch.full((buckets,), 100.0)
        self.alpha = alpha

    def update(self, ids, step):
        self.gap[ids] = (1 - self.alpha) * self.gap[ids] + self.alpha * (step - self.last[ids])
        self.last[ids] = float(step)

    def log_q(self, ids):
        return -self.gap[ids].clamp(min=1).log()


class TwoTower(nn.Module):
    def __init__(self, user_vocab, item_vocab, dim=4, out=8):
        super().__init__()
        self.user, self.item = Tower(user_vocab, dim, out), Tower(item_vocab, dim, out)
        self.temperature = nn.Parameter(torch.tensor(0.1))

    def logits(self, users, items):
        scores = self.user(users) @ self.item(items).t()
        return scores / self.temperature

    def forward(self, users, items, item_ids, log_q):
        s = self.logits(users, items) - log_q.unsqueeze(0)
        dup = item_ids.unsqueeze(0) == item_ids.unsqueeze(1)
        dup.fill_diagonal_(False)
        s = s.masked_fill(dup, float("-inf"))
        loss = F.cross_entropy(s, torch.arange(len(item_ids)))
        self.project()
        return loss

    @torch.no_grad()
    def project(self, low=0.01, high=1.0):
        self.temperature.clamp_(low, high)  # BUG


def recall_at_k(model, users, items, truth, k):
    with torch.no_grad():
        scores = model.user(users) @ model.item(items).t()
        top = scores.topk(k, dim=1).indices
    return (top == truth.unsqueeze(1)).any(1).float().mean().item()


def train(model, stream, lr=0.01):
    sketch = FrequencySketch(64)
    opt = torch.optim.Adagrad(model.parameters(), lr=lr)
    for step, (users, items) in enumerate(stream, 1):
        ids = items["sku"]
        sketch.update(ids, step)
        loss = model(users, items, ids, sketch.log_q(ids))
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
model = TwoTower({"uid": 20, "hist": 30}, {"sku": 30, "brand": 5})
def fake(n=6):
    return ({"uid": torch.randint(1, 20, (n,)), "hist": torch.randint(0, 30, (n, 4))},
            {"sku": torch.randint(1, 30, (n,)), "brand": torch.randint(1, 5, (n,))})
train(model, [fake(), fake()])
