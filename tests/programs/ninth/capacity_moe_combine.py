import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def capacity(tokens, experts, k, factor):
    return max(1, math.ceil(tokens * k / experts * factor))


class NoisyTopK(nn.Module):
    def __init__(self, d, e, k):
        super().__init__()
        self.w, self.noise, self.k = nn.Linear(d, e, bias=False), nn.Linear(d, e, bias=False), k
        nn.init.zeros_(self.noise.weight)

    def forward(self, x):
        logits = self.w(x)
        if self.training:
            logits += torch.randn_like(logits) * F.softplus(self.noise(x))
        top, idx = logits.topk(self.k, -1)
        keep = torch.zeros_like(logits, dtype=torch.bool).scatter_(-1, idx, True)
        logits = logits.masked_fill_(~keep, float("-inf"))
        return logits.softmax(-1), idx


class Dispatcher:
    """Slots per expert, first come first served; overflow tokens fall through."""

    def __init__(self, gates, idx, cap):
        n, e = gates.shape
        chosen = torch.zeros(n, e, dtype=torch.long).scatter_(1, idx, 1)
        place = chosen.cumsum(0)
        place -= 1
        self.fit = chosen.bool() & (place < cap)
        self.gates, self.e = gates, e
        self.dropped = int(chosen.sum() - self.fit.sum())

    def route(self, x):
        for e in range(self.e):
            rows = self.fit[:, e].nonzero().squeeze(1)
            yield e, rows, x[rows]

    def combine(self, x, outs):
        y = torch.zeros_like(x)
        for e, rows, out in outs:
            y.index_add_(0, rows, out * self.gates[rows, e, None])
        return y


class MoE(nn.Module):
    def __init__(self, d, h, e, k=2, factor=1.25):
        super().__init__()
        self.router = NoisyTopK(d, e, k)
        self.w1 = nn.Parameter(torch.empty(e, d, h).normal_(std=d ** -0.5))
        self.w2 = nn.Parameter(torch.empty(e, h, d).normal_(std=h ** -0.5))
        self.k, self.factor = k, factor
        self.register_buffer("load", torch.zeros(e))
        self.register_buffer("dropped", torch.zeros((), dtype=torch.long))

    def importance(self, gates):
        imp = gates.sum(0)
        return imp.var() / (imp.mean().pow(2) + 1e-10)

    def forward(self, x):
        flat = x.flatten(0, -2)
        gates, idx = self.router(flat)
        disp = Dispatcher(gates, idx, capacity(len(flat), len(self.load), self.k, self.factor))
        outs = []
        for e, rows, xi in disp.route(flat):
            hidden = (xi @ self.w1[e]).relu_()
            outs.append((e, rows, hidden @ self.w2[e]))
            self.load[e] += len(rows)
        self.dropped += disp.dropped
        return disp.combine(flat, outs).view_as(x), self.importance(gates)


class MoEClassifier(nn.Module):
    def __init__(self, d=8, classes=3):
        super().__init__()
        self.inp, self.moe, self.norm = nn.Linear(5, d), MoE(d, 12, 4), nn.LayerNorm(d)
        self.out = nn.Linear(d, classes)

    def forward(self, x):
        h = self.inp(x)
        y, aux = self.moe(self.norm(h))
        y += h
        return self.out(y.mean(1)), aux


# --- driver ---
torch.manual_seed(18)
net = MoEClassifier()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    logits, aux = net(torch.randn(4, 6, 5))
    loss = F.cross_entropy(logits, torch.randint(0, 3, (4,))) + 0.01 * aux
    opt.zero_grad()
    loss.backward()
    opt.step()
