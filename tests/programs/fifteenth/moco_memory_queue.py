"""Momentum contrast on vectors with a ring-buffer dictionary."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class RingDictionary(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.register_buffer("keys", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("cursor", torch.zeros((), dtype=torch.long))

    def __len__(self):
        return self.keys.size(0)

    @torch.no_grad()
    def push(self, new):
        at = int(self.cursor)
        idx = (at + torch.arange(len(new))) % len(self)
        self.keys[idx] = new  # BUG
        self.cursor.fill_((at + len(new)) % len(self))

    def similarity(self, q):
        return q @ self.keys.t()


def mlp(d_in, d_hid, d_out):
    return nn.Sequential(nn.Linear(d_in, d_hid), nn.BatchNorm1d(d_hid), nn.ReLU(inplace=True), nn.Linear(d_hid, d_out))


class MoCo(nn.Module):
    def __init__(self, d_in, dim=16, queue=64, m=0.99, temperature=0.2):
        super().__init__()
        self.m, self.t = m, temperature
        self.query = mlp(d_in, 32, dim)
        self.key = copy.deepcopy(self.query)
        self.key.requires_grad_(False)
        self.bank = RingDictionary(dim, queue)

    @torch.no_grad()
    def momentum_update(self):
        for k, q in zip(self.key.parameters(), self.query.parameters()):
            k.mul_(self.m).add_(q, alpha=1 - self.m)

    @torch.no_grad()
    def encode_keys(self, x):
        self.momentum_update()
        return F.normalize(self.key(x), dim=1)

    def forward(self, view_q, view_k):
        q = F.normalize(self.query(view_q), dim=1)
        k = self.encode_keys(view_k)
        positive = (q * k).sum(1, keepdim=True)
        logits = torch.cat([positive, self.bank.similarity(q)], 1) / self.t
        self.bank.push(k)
        return logits


def two_views(x, sigma=0.1, p=0.2):
    def view():
        v = x + sigma * torch.randn_like(x)
        v[torch.rand_like(v) < p] = 0.0
        return v
    return view(), view()


def pretrain(model, data, batch=8, steps=3, lr=0.03):
    opt = torch.optim.SGD(model.query.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    for step in range(steps):
        x = data[torch.randint(0, len(data), (batch,))]
        logits = model(*two_views(x))
        loss = F.cross_entropy(logits, torch.zeros(batch, dtype=torch.long))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, f"{loss.item():.4f}", "cursor", int(model.bank.cursor))


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    pretrain(MoCo(10), torch.randn(100, 10))
