import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureQueue(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.register_buffer("bank", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("age", torch.zeros(size, dtype=torch.long))
        self.register_buffer("ptr", torch.zeros((), dtype=torch.long))

    def __len__(self):
        return self.bank.size(0)

    def snapshot(self):
        return self.bank.clone().detach()

    @torch.no_grad()
    def enqueue(self, feats):
        n = feats.size(0)
        slots = (self.ptr + torch.arange(n)) % len(self)
        self.age += 1
        self.bank.index_copy_(0, slots, feats)
        self.age[slots] = 0
        self.ptr.copy_((self.ptr + n) % len(self))


class XBM(nn.Module):
    """Cross-batch memory with a contrastive loss."""

    def __init__(self, dim, size, margin=0.5):
        super().__init__()
        self.queue = FeatureQueue(dim, size)
        self.register_buffer("labels", torch.full((size,), -1))
        self.margin = margin

    def remember(self, feats, labels):
        start = int(self.queue.ptr)
        self.queue.enqueue(feats)
        idx = (start + torch.arange(len(labels))) % len(self.queue)
        self.labels[idx] = labels

    def pair_loss(self, sim, same):
        pos = (1 - sim).clamp_(min=0) * same
        neg = (sim - self.margin).clamp_(min=0) * (~same)
        n_pos = same.sum().clamp_(min=1)
        return pos.sum() / n_pos + neg.sum() / (~same).sum().clamp_(min=1)

    def forward(self, feats, labels):
        self.remember(feats.detach(), labels)
        sim = feats @ self.queue.snapshot().t()
        known = self.labels >= 0
        same = labels[:, None].eq(self.labels[None])
        loss_bank = self.pair_loss(sim[:, known], same[:, known])
        own = labels[:, None].eq(labels[None])
        own.fill_diagonal_(False)
        return loss_bank + self.pair_loss(feats @ feats.t(), own)


class Embedder(nn.Module):
    def __init__(self, cin, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(cin, 24), nn.BatchNorm1d(24), nn.ReLU(inplace=True), nn.Linear(24, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def retrieval_precision(feats, labels):
    sim = feats @ feats.t()
    sim.fill_diagonal_(-2.0)
    return (labels[sim.argmax(1)] == labels).float().mean().item()


def run(model, xbm, batches, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for x, y in batches:
        f = model(x)
        loss = xbm(f, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item(), retrieval_precision(f.detach(), y)


# --- driver ---
torch.manual_seed(4)
net, mem = Embedder(6, 4), XBM(4, 10)
print(list(run(net, mem, [(torch.randn(6, 6), torch.randint(0, 3, (6,))) for _ in range(3)])))
