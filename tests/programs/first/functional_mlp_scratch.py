"""Two-moons classifier written from scratch with a plain parameter dict."""
import math

import torch
import torch.nn.functional as F


def two_moons(n, noise=0.1):
    half = n // 2
    t = torch.rand(half) * math.pi
    a = torch.stack([t.cos(), t.sin()], 1)
    b = torch.stack([1 - t.cos(), 0.5 - t.sin()], 1)
    x = torch.cat([a, b])
    x += noise * torch.randn_like(x)
    y = torch.cat([torch.zeros(half), torch.ones(half)]).long()
    perm = torch.randperm(n)
    return x[perm], y[perm]


def init_params(sizes):
    params = {}
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        w = torch.randn(a, b)
        w *= math.sqrt(2 / a)
        params[f'W{i}'] = w.requires_grad_()
        params[f'b{i}'] = torch.zeros(b, requires_grad=True)
    return params


def n_layers(params):
    return len(params) // 2


def forward(params, x, p_drop=0.0):
    depth = n_layers(params)
    for i in range(depth):
        x = x @ params[f'W{i}']
        x += params[f'b{i}']
        if i < depth - 1:
            x = F.relu_(x)
            if p_drop:
                x = x * (torch.rand_like(x) > p_drop).float() / (1 - p_drop)
    return x


def loss_fn(params, x, y, l2=1e-4, p_drop=0.0):
    nll = F.cross_entropy(forward(params, x, p_drop), y)
    penalty = sum(p.pow(2).sum() for k, p in params.items() if k.startswith('W'))
    return nll + l2 * penalty


class Momentum:
    def __init__(self, params, lr, beta=0.9):
        self.params, self.lr, self.beta = params, lr, beta
        self.velocity = {k: torch.zeros_like(p) for k, p in params.items()}

    def zero_grad(self):
        for p in self.params.values():
            if p.grad is not None:
                p.grad.zero_()

    def step(self):
        for k, p in self.params.items():
            v = self.velocity[k]
            v.mul_(self.beta).add_(p.grad)
            p -= self.lr * v  # BUG


def minibatches(x, y, size):
    order = torch.randperm(len(x))
    for i in range(0, len(x), size):
        idx = order[i:i + size]
        yield x[idx], y[idx]


def accuracy(params, x, y):
    with torch.no_grad():
        return (forward(params, x).argmax(1) == y).float().mean().item()


def train(params, x, y, epochs=1, size=16, lr=0.1, p_drop=0.1):
    opt = Momentum(params, lr)
    for epoch in range(epochs):
        for xb, yb in minibatches(x, y, size):
            opt.zero_grad()
            loss = loss_fn(params, xb, yb, p_drop=p_drop)
            loss.backward()
            opt.step()
        print(f'epoch {epoch} loss {loss.item():.3f} acc {accuracy(params, x, y):.3f}')
    return params


# --- driver ---
X, Y = two_moons(64)
train(init_params([2, 16, 16, 2]), X, Y)
