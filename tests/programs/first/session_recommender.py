"""Session-based recommender: GRU over clicked items, scoring against the item table."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ItemTable(nn.Module):
    def __init__(self, n_items, dim, max_norm=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_items, dim) * 0.5)
        self.max_norm = max_norm

    def lookup(self, ids):
        return F.embedding(ids, self.weight, max_norm=self.max_norm)  # BUG

    def score(self, query):
        return query @ self.weight.t()


class SessionEncoder(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gru = nn.GRU(dim, hidden, batch_first=True)
        self.proj = nn.Linear(hidden, dim)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, lengths):
        out, _ = self.gru(self.drop(x))
        last = out[torch.arange(x.size(0)), lengths - 1]
        return self.proj(last)


class SessionRec(nn.Module):
    def __init__(self, n_items=50, n_users=12, dim=12, hidden=16):
        super().__init__()
        self.items = ItemTable(n_items, dim)
        self.users = nn.Embedding(n_users, dim)
        self.encoder = SessionEncoder(dim, hidden)

    def user_prior(self, users):
        return self.items.score(self.users(users))

    def forward(self, users, clicks, lengths):
        prior = self.user_prior(users)
        seq = self.items.lookup(clicks)
        query = self.encoder(seq, lengths)
        return self.items.score(query) + 0.1 * prior


def top1_loss(logits, pos, n_neg=8):
    neg = torch.randint(0, logits.size(1), (logits.size(0), n_neg))
    p = logits.gather(1, pos.unsqueeze(1))
    n = logits.gather(1, neg)
    return (torch.sigmoid(n - p) + torch.sigmoid(n.pow(2))).mean()


LOSSES = {'ce': F.cross_entropy, 'top1': top1_loss}


def make_sessions(n, n_items, n_users, max_len=6):
    lengths = torch.randint(2, max_len + 1, (n,))
    clicks = torch.randint(1, n_items, (n, max_len))
    pad = torch.arange(max_len).unsqueeze(0) >= lengths.unsqueeze(1)
    clicks.masked_fill_(pad, 0)
    return torch.randint(0, n_users, (n,)), clicks, lengths, torch.randint(1, n_items, (n,))


def train(model, batches, loss='ce', lr=0.05):
    opt = torch.optim.Adagrad(model.parameters(), lr=lr)
    crit = LOSSES[loss]
    for users, clicks, lengths, target in batches:
        opt.zero_grad()
        value = crit(model(users, clicks, lengths), target)
        value.backward()
        opt.step()
    return value.item()


@torch.no_grad()
def recall_at(model, batch, k=10):
    users, clicks, lengths, target = batch
    scores = model(users, clicks, lengths)
    scores[:, 0] = -float('inf')
    return (scores.topk(k).indices == target.unsqueeze(1)).any(1).float().mean().item()


# --- driver ---
rec = SessionRec()
print(train(rec, [make_sessions(8, 50, 12) for _ in range(2)], loss='top1'))
print(recall_at(rec, make_sessions(8, 50, 12)))
