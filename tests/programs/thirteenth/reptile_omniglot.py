"""Reptile on few-shot toy images. The outer update interpolates toward task-adapted weights."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from contextlib import contextmanager


def small_cnn(n_way):
    def block(i, o):
        return [nn.Conv2d(i, o, 3, stride=2, padding=1), nn.GroupNorm(2, o), nn.ReLU(inplace=True)]
    return nn.Sequential(*block(1, 8), *block(8, 8), nn.Flatten(), nn.Linear(8 * 9, n_way))


class EpisodeSampler:
    def __init__(self, n_classes, n_way, k_shot, size=12):
        self.proto = torch.rand(n_classes, 1, size, size)
        self.n_way, self.k = n_way, k_shot

    def __call__(self):
        cls = torch.randperm(len(self.proto))[: self.n_way]
        y = torch.arange(self.n_way).repeat_interleave(self.k)
        x = self.proto[cls][y]
        x += 0.2 * torch.randn_like(x)
        return x, y


@contextmanager
def weights_snapshot(model):
    saved = [p.detach().clone() for p in model.parameters()]
    yield saved


class Reptile:
    def __init__(self, model, inner_lr=0.05, inner_steps=4, outer_lr=0.5, max_norm=2.0):
        self.model = model
        self.inner_lr, self.inner_steps, self.outer_lr = inner_lr, inner_steps, outer_lr
        self.max_norm = max_norm
        self.inner_losses = []

    def inner_step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        params = list(self.model.parameters())
        grads = torch.autograd.grad(loss, params)
        total = torch.sqrt(sum(g.pow(2).sum() for g in grads))
        scale = (self.max_norm / (total + 1e-6)).clamp_(max=1.0)
        with torch.no_grad():
            for p, g in zip(params, grads):
                p.sub_(g.mul_(scale), alpha=self.inner_lr)
        return loss.item()

    def adapt(self, episode):
        x, y = episode
        return [self.inner_step(x, y) for _ in range(self.inner_steps)]

    def outer_step(self, episode, progress):
        with weights_snapshot(self.model) as old:
            self.inner_losses.append(self.adapt(episode))
            eps = self.outer_lr * (1 - progress)
            with torch.no_grad():
                for p, o in zip(self.model.parameters(), old):
                    p.sub_(o).mul_(eps).add_(o)

    @torch.no_grad()
    def evaluate(self, episode):
        x, y = episode
        return (self.model(x).argmax(1) == y).float().mean().item()


# --- driver ---
torch.manual_seed(0)
sampler = EpisodeSampler(12, n_way=4, k_shot=3)
algo = Reptile(small_cnn(4))
N = 4
for i in range(N):
    algo.outer_step(sampler(), i / N)
    print(i, algo.inner_losses[-1][0], "->", algo.inner_losses[-1][-1])
print("acc", algo.evaluate(sampler()))
