"""Sparse training with dynamic topology (drop by magnitude, grow by gradient)."""
import math
from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F


class SparseScheduler:
    def __init__(self, model, density=0.4, every=2, drop=0.3, total=10):
        self.model, self.every, self.drop, self.total = model, every, drop, total
        self.masks: Dict[str, torch.Tensor] = {}
        self.t = 0
        for name, p in self.weights():
            m = torch.zeros(p.numel())
            m[torch.randperm(p.numel())[: max(1, int(density * p.numel()))]] = 1
            self.masks[name] = m.view_as(p).bool()
        self.apply_masks()

    def weights(self):
        return [(n, p) for n, p in self.model.named_parameters() if p.dim() > 1]

    @torch.no_grad()
    def apply_masks(self):
        for n, p in self.weights():
            p.mul_(self.masks[n])

    @torch.no_grad()
    def mask_grads(self):
        for n, p in self.weights():
            p.grad.masked_fill_(~self.masks[n], 0.0)

    def fraction(self):
        return self.drop / 2 * (1 + math.cos(math.pi * self.t / self.total))

    @torch.no_grad()
    def rewire(self, optimizer):
        for n, p in self.weights():
            mask = self.masks[n]
            k = int(self.fraction() * int(mask.sum()))
            if not k:
                continue
            mag = p.abs()
            mag[~mask] = float("inf")
            dropped = mag.flatten().topk(k, largest=False).indices
            score = p.grad.abs()
            score[mask] = -1.0
            grown = score.flatten().topk(k).indices
            flat = mask.view(-1)
            flat[dropped] = False
            flat[grown] = True
            p.view(-1)[grown] = 0.0
            p.mul_(mask)
            buf = optimizer.state[p].get("momentum_buffer")
            if buf is not None:
                buf.mul_(mask)

    def after_backward(self, optimizer):
        self.t += 1
        if self.t % self.every == 0 and self.t < self.total:
            self.rewire(optimizer)
            return False
        self.mask_grads()
        return True

    def density(self):
        kept = sum(int(m.sum()) for m in self.masks.values())
        return kept / sum(m.numel() for m in self.masks.values())


class WideConvNet(nn.Module):
    def __init__(self, ch=6, classes=4):
        super().__init__()
        self.c1 = nn.Conv2d(1, ch, 3, padding=1)
        self.c2 = nn.Conv2d(ch, 2 * ch, 3, stride=2, padding=1)
        self.c3 = nn.Conv2d(2 * ch, 2 * ch, 3, padding=1)
        self.n1, self.n2 = nn.GroupNorm(2, ch), nn.GroupNorm(2, 2 * ch)
        self.fc = nn.Linear(2 * ch, classes)

    def forward(self, x):
        x = F.relu(self.n1(self.c1(x)), inplace=True)
        x = F.relu(self.n2(self.c2(x)), inplace=True)
        y = self.c3(x)
        y += x
        y = F.relu_(y)
        return self.fc(y.mean((2, 3)))


def shape_images(n, size=8):
    y = torch.arange(n).remainder_(4)
    x = torch.zeros(n, 1, size, size)
    for i, c in enumerate(y.tolist()):
        if c & 1:
            x[i, 0, size // 2].fill_(1.0)
        if c & 2:
            x[i, 0].diagonal().fill_(1.0)
    return x.add_(torch.randn_like(x), alpha=0.1), y


def train(model, sched, steps, lr=0.05):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(steps):
        x, y = shape_images(8)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        if sched.after_backward(opt):
            opt.step()
            sched.apply_masks()
    return sched.density()


# --- driver ---
torch.manual_seed(0)
net = WideConvNet()
train(net, SparseScheduler(net), steps=3)
