"""Learn steering vectors that are added to hidden activations through forward hooks."""
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, dim * 2)
        self.down = nn.Linear(dim * 2, dim)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class TinyEncoder(nn.Module):
    def __init__(self, vocab=25, dim=12, depth=3, classes=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1, groups=dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids)
        x = x + self.mix(x.transpose(1, 2)).transpose(1, 2)
        for b in self.blocks:
            x = b(x)
        return self.head(x.mean(1))


class SteeringVectors(nn.Module):
    def __init__(self, sites: Dict[str, int], strength=1.0):
        super().__init__()
        self.vectors = nn.ParameterDict({s.replace(".", "/"): nn.Parameter(0.01 * torch.randn(d)) for s, d in sites.items()})
        self.strength = strength
        self.norms: Dict[str, torch.Tensor] = {}
        self._handles: List = []

    def _hook(self, site):
        vec = self.vectors[site.replace(".", "/")]

        def hook(module, args, output):
            output += self.strength * vec
            self.norms[site] = output.detach().norm(dim=-1).mean()
            return output

        return hook

    def attach(self, model):
        for name, mod in model.named_modules():
            if name.replace(".", "/") in self.vectors:
                self._handles.append(mod.register_forward_hook(self._hook(name)))
        return self

    def detach(self):
        while self._handles:
            self._handles.pop().remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.detach()

    @torch.no_grad()
    def project(self, radius):
        for v in self.vectors.values():
            n = v.norm()
            if n > radius:
                v.mul_(radius / n)


def gradient_mask_hook(mask):
    def hook(grad):
        return grad * mask
    return hook


def train_steering(model, batches, radius=1.0, lr=0.05):
    model.requires_grad_(False)
    sites = {f"blocks.{i}.down": b.down.out_features for i, b in enumerate(model.blocks)}
    steer = SteeringVectors(sites)
    for v in steer.vectors.values():
        mask = torch.ones_like(v)
        mask[0] = 0.0
        v.register_hook(gradient_mask_hook(mask))
    opt = torch.optim.Adam(steer.parameters(), lr=lr)
    with steer.attach(model):
        for ids, y in batches:
            loss = F.cross_entropy(model(ids), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            steer.project(radius)
    return steer.norms


# --- driver ---
torch.manual_seed(0)
train_steering(TinyEncoder(), [(torch.randint(0, 25, (4, 6)), torch.randint(0, 2, (4,))) for _ in range(2)])
