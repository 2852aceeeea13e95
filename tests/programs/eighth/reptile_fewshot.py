"""Reptile meta-training on synthetic few-shot classification."""
import copy

import numpy as np
import torch
from torch import nn


class Episode:
    def __init__(self, ways, shots, dim, rng):
        self.centres = torch.from_numpy(rng.normal(size=(ways, dim)).astype(np.float32)).mul_(2)
        self.ways, self.shots = ways, shots

    def draw(self):
        y = torch.arange(self.ways).repeat_interleave(self.shots)
        x = self.centres[y]
        x += torch.randn_like(x)
        return x, y


class ScaledMLP(nn.Module):
    def __init__(self, dim, hid, ways):
        super().__init__()
        self.norm = nn.BatchNorm1d(dim, track_running_stats=False)
        self.l1, self.l2 = nn.Linear(dim, hid), nn.Linear(hid, ways)

    def forward(self, x):
        h = self.l1(self.norm(x)).relu_()
        return self.l2(h)


class Reptile:
    def __init__(self, net, inner_lr=0.05, outer_lr=0.5, inner_steps=3, momentum=0.5):
        self.net, self.inner_lr, self.outer_lr = net, inner_lr, outer_lr
        self.inner_steps, self.momentum = inner_steps, momentum
        self.velocity = [torch.zeros_like(p) for p in net.parameters()]
        self.done = 0

    def inner_loop(self, episode):
        fast = copy.deepcopy(self.net)
        params = list(fast.parameters())
        loss_fn = nn.CrossEntropyLoss()
        for _ in range(self.inner_steps):
            x, y = episode.draw()
            grads = torch.autograd.grad(loss_fn(fast(x), y), params)
            with torch.no_grad():
                torch._foreach_add_(params, grads, alpha=-self.inner_lr)
        return params

    @torch.no_grad()
    def outer_update(self, adapted, fraction):
        lr = self.outer_lr * (1 - fraction)
        for p, v, group in zip(self.net.parameters(), self.velocity, zip(*adapted)):
            direction = torch.stack(group).mean(0).sub_(p)
            v.mul_(self.momentum).add_(direction)
            p.add_(v, alpha=lr)

    def train(self, episodes, meta_batch, total):
        for i in range(total):
            adapted = [self.inner_loop(next(episodes)) for _ in range(meta_batch)]
            self.outer_update(adapted, i / total)
            self.done += 1
        return self.net

    def evaluate(self, episode):
        params = self.inner_loop(episode)
        probe = copy.deepcopy(self.net)
        with torch.no_grad():
            for p, q in zip(probe.parameters(), params):
                p.copy_(q)
            x, y = episode.draw()
            logits = probe(x)
            counts = torch.zeros(episode.ways, episode.ways)
            counts.index_put_((y, logits.argmax(1)), torch.ones(y.numel()), accumulate=True)
        return counts.diag().sum().div_(counts.sum()).item()


def episode_stream(ways, shots, dim, seed):
    rng = np.random.default_rng(seed)
    while True:
        yield Episode(ways, shots, dim, rng)


def weight_summary(net):
    out = {}
    for name, p in net.named_parameters():
        flat = p.detach().flatten().clone()
        flat.abs_()
        out[name] = (flat.mean().item(), flat.max().item())
    return out


# --- driver ---
torch.manual_seed(0)
stream = episode_stream(3, 4, 5, seed=0)
algo = Reptile(ScaledMLP(5, 12, 3))
algo.train(stream, meta_batch=2, total=2)
algo.evaluate(next(stream))
weight_summary(algo.net)
