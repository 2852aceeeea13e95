"""Cross batch memory for deep metric learning."""
import torch
from torch import nn
import torch.nn.functional as F


class CrossBatchMemory:
    def __init__(self, size, dim):
        self.feats = torch.zeros(size, dim)
        self.labels = torch.full((size,), -1, dtype=torch.long)
        self.ptr = 0
        self.filled = 0

    def __len__(self):
        return self.filled

    def enqueue(self, feats, labels):
        n = len(labels)
        idx = (self.ptr + torch.arange(n)) % len(self.labels)
        self.feats[idx] = feats.detach()
        self.labels[idx] = labels
        self.ptr = (self.ptr + n) % len(self.labels)
        self.filled = min(self.filled + n, len(self.labels))

    def view(self):
        return self.feats[:self.filled].clone(), self.labels[:self.filled].clone()


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=0.5):
        super().__init__()
        self.margin = margin

    def forward(self, q, yq, k, yk, same_batch=False):
        sim = q @ k.t()
        pos = yq[:, None] == yk[None]
        neg = ~pos
        if same_batch:
            pos.fill_diagonal_(False)
        attract = (1 - sim)[pos & (sim < 1 - 1e-5)]
        repel = sim[neg & (sim > self.margin)]
        return (attract.sum() + repel.sum()) / len(q)


class Embedder(nn.Module):
    def __init__(self, inp, dim):
        super().__init__()
        self.fc1 = nn.Linear(inp, 16)
        self.bn = nn.BatchNorm1d(16)
        self.fc2 = nn.Linear(16, dim)

    def forward(self, x):
        h = self.bn(self.fc1(x))
        h = F.relu_(h)
        return F.normalize(self.fc2(h), dim=-1)


class MetricTrainer:
    def __init__(self, model, memory, start=1):
        self.model, self.memory, self.start = model, memory, start
        self.criterion = ContrastiveLoss()
        self.opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.it = 0

    def losses(self, x, y):
        z = self.model(x)
        yield self.criterion(z, y, z, y, same_batch=True)
        if self.it >= self.start:
            mem, lab = self.memory.view()
            self.memory.enqueue(z, y)
            yield self.criterion(z, y, mem, lab)
        else:
            self.memory.enqueue(z, y)

    def step(self, x, y):
        loss = sum(self.losses(x, y))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.it += 1


# --- driver ---
torch.manual_seed(43)
trainer = MetricTrainer(Embedder(6, 4), CrossBatchMemory(12, 4))
for _ in range(3):
    trainer.step(torch.randn(5, 6), torch.randint(0, 3, (5,)))
