# Metric learning with a cross-batch memory (XBM) and a mined contrastive loss.
import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial


def embedding_net(d_in, d_out, width=32):
    block = lambda a, b: [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU(inplace=True)]
    return nn.Sequential(*block(d_in, width), *block(width, width), nn.Linear(width, d_out))


class CrossBatchMemory:
    """FIFO of (embedding, label); `snapshot` is safe to differentiate against."""

    def __init__(self, size, dim):
        self.feats = torch.zeros(size, dim)
        self.labels = torch.full((size,), -1)
        self.head, self.filled = 0, 0

    def enqueue(self, feats, labels):
        size = self.feats.size(0)
        slots = torch.arange(self.head, self.head + feats.size(0)) % size
        self.feats[slots] = feats.detach()
        self.labels[slots] = labels
        self.head = (self.head + feats.size(0)) % size
        self.filled = min(size, self.filled + feats.size(0))

    def snapshot(self):
        return self.feats[: self.filled].clone(), self.labels[: self.filled].clone()


def contrastive(sim, same, margin):
    """Only pairs that violate the margins count."""
    pos = F.relu(1 - sim)
    neg = F.relu(sim - margin)
    pos_loss = (pos * same).sum() / same.sum().clamp_min(1)
    active = (~same) & (neg.detach() > 0)
    neg_loss = (neg * active).sum() / active.sum().clamp_min(1)
    return pos_loss + neg_loss


class XBMLoss(nn.Module):
    def __init__(self, memory, pair_loss, weight=1.0, start_after=1):
        super().__init__()
        self.memory, self.pair_loss = memory, pair_loss
        self.weight, self.start_after = weight, start_after
        self.calls = 0

    def forward(self, emb, labels):
        sim = emb @ emb.t()
        same = labels.unsqueeze(0) == labels.unsqueeze(1)
        same.fill_diagonal_(False)
        loss = self.pair_loss(sim, same)
        if self.calls >= self.start_after:
            old, old_labels = self.memory.snapshot()
            cross = emb @ old.t()
            loss = loss + self.weight * self.pair_loss(cross, labels.unsqueeze(1) == old_labels.unsqueeze(0))
        self.memory.enqueue(emb, labels)
        self.calls += 1
        return loss


def balanced_batches(n_classes, per_class, dim, steps, spread=0.5):
    centres = torch.randn(n_classes, dim)
    for _ in range(steps):
        picked = torch.randperm(n_classes)[:4].repeat_interleave(per_class)
        yield centres[picked] + spread * torch.randn(picked.numel(), dim), picked


@torch.no_grad()
def recall_at_1(net, x, labels):
    net.eval()
    emb = F.normalize(net(x), dim=1)
    sim = emb @ emb.t()
    sim.fill_diagonal_(-2.0)
    net.train()
    return (labels[sim.argmax(1)] == labels).float().mean().item()


# --- driver ---
torch.manual_seed(3)
net = embedding_net(10, 8)
criterion = XBMLoss(CrossBatchMemory(48, 8), partial(contrastive, margin=0.4), weight=0.5)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for x, y in balanced_batches(6, 4, 10, steps=5):
    loss = criterion(F.normalize(net(x), dim=1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), recall_at_1(net, x, y))
