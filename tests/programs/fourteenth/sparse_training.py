"""RigL-flavoured dynamic sparse training: drop by magnitude, grow by gradient, at a fixed density."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SparseLinear(nn.Linear):
    def __init__(self, d_in, d_out, density):
        super().__init__(d_in, d_out)
        keep = max(1, int(density * d_in * d_out))
        mask = torch.zeros(d_in * d_out)
        mask[torch.randperm(d_in * d_out)[:keep]] = 1
        self.register_buffer("mask", mask.view(d_out, d_in))
        self.keep = keep

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)

    def rewire(self, dense_grad, fraction):
        """Moves `fraction` of the live connections; new ones start at zero."""
        swap = int(fraction * self.keep)
        if swap == 0:
            return 0
        live = self.mask.bool()
        magnitude = self.weight.detach().abs().masked_fill(~live, math.inf)
        drop = magnitude.flatten().topk(swap, largest=False).indices
        promise = dense_grad.abs().masked_fill(live, -1.0)
        grow = promise.flatten().topk(swap).indices
        flat = self.mask.view(-1)
        flat[drop] = 0
        flat[grow] = 1
        self.weight.view(-1)[grow] = 0.0  # BUG
        return swap


class CosineFraction:
    def __init__(self, start, total):
        self.start, self.total = start, total

    def __call__(self, step):
        return self.start / 2 * (1 + math.cos(math.pi * min(step, self.total) / self.total))


class RewireSchedule:
    def __init__(self, model, every, fraction):
        self.layers = [m for m in model.modules() if isinstance(m, SparseLinear)]
        self.every, self.fraction = every, fraction
        self.step_count = 0
        self.moved = 0

    def step(self):
        self.step_count += 1
        if self.step_count % self.every:
            return
        for layer in self.layers:
            self.moved += layer.rewire(layer.weight.grad, self.fraction(self.step_count))


def sparse_mlp(d_in, hidden, d_out, density):
    return nn.Sequential(
        SparseLinear(d_in, hidden, density), nn.GELU(),
        SparseLinear(hidden, hidden, density), nn.GELU(),
        nn.Linear(hidden, d_out))


def density(model):
    masks = [m.mask for m in model.modules() if isinstance(m, SparseLinear)]
    return sum(m.sum() for m in masks) / sum(m.numel() for m in masks)


def train(model, steps, lr=0.05, every=2):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    schedule = RewireSchedule(model, every, CosineFraction(0.3, steps))
    target = torch.randn(10)
    for _ in range(steps):
        x = torch.randn(32, 10)
        loss = F.mse_loss(model(x).squeeze(1), torch.sin(x @ target))
        opt.zero_grad()
        loss.backward()
        opt.step()
        schedule.step()
    return loss.item(), schedule.moved


# --- driver ---
torch.manual_seed(6)
net = sparse_mlp(10, 32, 1, density=0.2)
print(train(net, steps=6), density(net))
