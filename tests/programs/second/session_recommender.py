"""Session-based recommender with unit-norm item embeddings and full softmax over the catalogue."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class ItemEncoder(nn.Module):
    def __init__(self, n_items, dim, max_norm=1.0):
        super().__init__()
        self.emb = nn.Embedding(n_items, dim, max_norm=max_norm)
        self.category = nn.Linear(dim, dim)

    def catalogue(self):
        return self.category(self.emb.weight)

    def forward(self, ids):
        return self.emb(ids)  # BUG


class SessionGRU(nn.Module):
    def __init__(self, n_items, dim=16):
        super().__init__()
        self.items = ItemEncoder(n_items, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        self.attn = nn.Linear(dim * 2, 1)
        self.out = nn.Linear(dim * 2, dim)

    def forward(self, sessions, lengths):
        table = self.items.catalogue()
        x = self.items(sessions)
        h, _ = self.gru(x)
        last = h[torch.arange(h.size(0)), lengths - 1]
        score = self.attn(torch.cat([h, last.unsqueeze(1).expand_as(h)], dim=-1)).squeeze(-1)
        pad = torch.arange(h.size(1))[None] >= lengths[:, None]
        w = score.masked_fill(pad, -1e9).softmax(-1)
        pooled = (w.unsqueeze(-1) * h).sum(1)
        user = self.out(torch.cat([pooled, last], dim=-1))
        return user @ table.t()


class SessionDataset:
    def __init__(self, n_items, n_sessions, max_len=6):
        self.n_items = n_items
        self.rows = []
        for _ in range(n_sessions):
            n = int(torch.randint(2, max_len + 1, (1,)))
            self.rows.append(torch.randint(1, n_items, (n + 1,)))
        self.max_len = max_len

    def batches(self, bsz):
        for i in range(0, len(self.rows), bsz):
            rows = self.rows[i:i + bsz]
            ids = torch.zeros(len(rows), self.max_len, dtype=torch.long)
            for j, r in enumerate(rows):
                ids[j, : r.numel() - 1] = r[:-1]
            lengths = torch.tensor([r.numel() - 1 for r in rows])
            target = torch.stack([r[-1] for r in rows])
            yield ids, lengths, target


@torch.no_grad()
def recall_at_k(scores, target, k=5):
    top = scores.topk(k, dim=-1).indices
    return (top == target[:, None]).any(-1).float().mean().item()


def train_epoch(model, data, opt, bsz=8):
    recalls = []
    for ids, lengths, target in data.batches(bsz):
        scores = model(ids, lengths)
        loss = F.cross_entropy(scores, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        recalls.append(recall_at_k(scores, target))
    return sum(recalls) / len(recalls)


# --- driver ---
torch.manual_seed(0)
model = SessionGRU(40)
train_epoch(model, SessionDataset(40, 8), torch.optim.Adagrad(model.parameters(), lr=0.05))
