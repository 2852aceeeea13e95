import contextlib
from typing import Callable, Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class FeedForward(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up, self.act, self.down = nn.Linear(dim, 4 * dim), nn.Tanh(), nn.Linear(4 * dim, dim)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


class Layer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ff = FeedForward(dim)

    def forward(self, x):
        h = self.ln1(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.ff(self.ln2(x))


class Classifier(nn.Module):
    def __init__(self, vocab=30, dim=8, depth=2, classes=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim, 2) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        h = self.emb(ids)
        for layer in self.layers:
            h = layer(h)
        return self.head(h.mean(1))


class Steering(nn.Module):
    """A learned direction for every hooked activation."""

    def __init__(self, widths: Dict[str, int], strength=1.0):
        super().__init__()
        self.directions = nn.ParameterDict({k: nn.Parameter(torch.zeros(v)) for k, v in widths.items()})
        self.strength = strength

    def hook(self, key) -> Callable:
        def apply(module, args, output):
            output += self.strength * self.directions[key]  # BUG
            return output
        return apply

    @contextlib.contextmanager
    def attach(self, modules: Dict[str, nn.Module]):
        handles: List = [m.register_forward_hook(self.hook(k)) for k, m in modules.items()]
        try:
            yield self
        finally:
            for h in handles:
                h.remove()


def activation_sites(model):
    return {f"ff{i}": layer.ff.act for i, layer in enumerate(model.layers)}


def freeze(model):
    for p in model.parameters():
        p.requires_grad_(False)
    return model


def cache_means(model, ids):
    sums = {}

    def recorder(key):
        def fn(module, args, output):
            sums[key] = output.detach().mean((0, 1))
        return fn

    handles = [m.register_forward_hook(recorder(k)) for k, m in activation_sites(model).items()]
    with torch.no_grad():
        model(ids)
    for h in handles:
        h.remove()
    return sums


def tune(model, steering, ids, label, steps=1, lr=0.1):
    opt = torch.optim.Adam(steering.parameters(), lr=lr)
    for _ in range(steps):
        with steering.attach(activation_sites(model)):
            loss = F.cross_entropy(model(ids), label)
        loss = loss + 1e-3 * sum(d.abs().sum() for d in steering.parameters())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
model = freeze(Classifier())
ids = torch.randint(0, 30, (3, 5))
steer = Steering({"ff0": 32, "ff1": 32})
for k, m in cache_means(model, ids).items():
    steer.directions[k].data.copy_(0.1 * m)
tune(model, steer, ids, torch.tensor([0, 1, 1]))
