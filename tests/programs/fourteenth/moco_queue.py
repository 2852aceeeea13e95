# Momentum contrast for feature vectors. Keys go to a ring buffer of negatives.
import copy
import torch
from torch import nn
from torch.nn import functional as F


class Encoder(nn.Sequential):
    def __init__(self, d_in, d_hidden, d_out):
        super().__init__(
            nn.Linear(d_in, d_hidden),
            nn.BatchNorm1d(d_hidden),
            nn.ReLU(inplace=True),
            nn.Linear(d_hidden, d_out),
        )


class NegativeRing(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.register_buffer("bank", F.normalize(torch.randn(length, dim), dim=1))
        self.register_buffer("cursor", torch.zeros((), dtype=torch.long))

    def __len__(self):
        return self.bank.shape[0]

    def similarities(self, queries):
        return queries @ self.bank.t()

    @torch.no_grad()
    def push(self, keys):
        n = keys.shape[0]
        if len(self) % n:
            raise ValueError("ring length has to be a multiple of the batch size")
        start = int(self.cursor)
        self.bank[start:start + n].copy_(keys)  # BUG
        self.cursor.fill_((start + n) % len(self))


class MoCo(nn.Module):
    def __init__(self, d_in=20, d_hidden=40, dim=16, length=64, m=0.99, tau=0.2):
        super().__init__()
        self.m, self.tau = m, tau
        self.query_net = Encoder(d_in, d_hidden, dim)
        self.key_net = copy.deepcopy(self.query_net)
        for p in self.key_net.parameters():
            p.requires_grad_(False)
        self.ring = NegativeRing(dim, length)

    @torch.no_grad()
    def _momentum(self):
        for slow, fast in zip(self.key_net.parameters(), self.query_net.parameters()):
            slow.lerp_(fast, 1 - self.m)

    @torch.no_grad()
    def embed_keys(self, view):
        self._momentum()
        order = torch.randperm(view.shape[0])
        keys = F.normalize(self.key_net(view[order]), dim=1)
        return keys[order.argsort()]

    def forward(self, view_q, view_k):
        q = F.normalize(self.query_net(view_q), dim=1)
        k = self.embed_keys(view_k)
        positive = (q * k).sum(1, keepdim=True)
        negative = self.ring.similarities(q)
        logits = torch.cat([positive, negative], dim=1) / self.tau
        self.ring.push(k)
        return logits, torch.zeros(q.shape[0], dtype=torch.long)


def two_views(x, strength=0.1):
    jitter = lambda: x + strength * torch.randn_like(x)
    return jitter(), jitter()


def pretrain(model, data, epochs=1, batch_size=16, lr=0.03):
    opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=lr, momentum=0.9)
    history = []
    for _ in range(epochs):
        for x in data.split(batch_size):
            logits, labels = model(*two_views(x))
            loss = F.cross_entropy(logits, labels)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            history.append(loss.item())
    return history


# --- driver ---
torch.manual_seed(1)
model = MoCo()
print(pretrain(model, torch.randn(64, 20)))
