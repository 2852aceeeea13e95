import torch
import torch.nn as nn
import torch.nn.functional as F


def make_encoder(inp, dim):
    return nn.Sequential(nn.Linear(inp, 16), nn.ReLU(), nn.Linear(16, dim))


class KeyQueue(nn.Module):
    """Ring of key vectors, one per column."""

    def __init__(self, dim, size):
        super().__init__()
        self.size = size
        self.register_buffer("keys", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("cursor", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def push(self, k):
        n = k.shape[0]
        assert self.size % n == 0
        at = int(self.cursor)
        self.keys[:, at:at + n] = k.t()  # BUG
        self.cursor[0] = (at + n) % self.size

    def scores(self, q):
        return q @ self.keys


class Contrast(nn.Module):
    def __init__(self, inp, dim=8, size=16, m=0.99, tau=0.2):
        super().__init__()
        self.m, self.tau = m, tau
        self.enc_q = make_encoder(inp, dim)
        self.enc_k = make_encoder(inp, dim)
        self.queue = KeyQueue(dim, size)
        for q, k in zip(self.enc_q.parameters(), self.enc_k.parameters()):
            k.data.copy_(q.data)
            k.requires_grad = False

    @torch.no_grad()
    def _momentum(self):
        for q, k in zip(self.enc_q.parameters(), self.enc_k.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    def forward(self, view_q, view_k):
        q = F.normalize(self.enc_q(view_q), dim=1)
        with torch.no_grad():
            self._momentum()
            k = F.normalize(self.enc_k(view_k), dim=1)
        pos = (q * k).sum(1, keepdim=True)
        neg = self.queue.scores(q)
        logits = torch.cat([pos, neg], 1) / self.tau
        self.queue.push(k)
        return logits, torch.zeros(len(q), dtype=torch.long)


def two_views(x, noise=0.1):
    return x + noise * torch.randn_like(x), x * (1 + noise * torch.randn(len(x), 1))


def epoch(model, data, opt, sched=None):
    history = []
    for x in data:
        logits, target = model(*two_views(x))
        loss = F.cross_entropy(logits, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
    if sched is not None:
        sched.step()
    return history


# --- driver ---
torch.manual_seed(3)
net = Contrast(10)
optim = torch.optim.SGD(net.enc_q.parameters(), lr=0.1)
epoch(net, torch.randn(2, 4, 10), optim)
