"""Activation steering, probing and stochastic-depth style interventions by forward hooks."""
import functools
import weakref

import torch
import torch.nn as nn
import torch.nn.functional as F


class HookManager:
    def __init__(self, model):
        self.model = weakref.proxy(model)
        self.handles = []

    def attach(self, path, fn):
        mod = functools.reduce(lambda m, k: m[int(k)] if k.isdigit() else getattr(m, k), path.split("."), self.model)
        self.handles.append(mod.register_forward_hook(fn))
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        while self.handles:
            self.handles.pop().remove()


class SteeringVector:
    def __init__(self, vec, coef=1.0):
        self.vec, self.coef = vec / vec.norm(), coef

    def __call__(self, module, args, out):
        out += self.coef * self.vec
        return out


class ZeroTokens:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, module, args, out):
        drop = torch.rand(out.shape[:-1]) < self.rate
        out[drop] = 0.0


class RunningMoments:
    def __init__(self, dim):
        self.n = 0
        self.mean, self.m2 = torch.zeros(dim), torch.zeros(dim)

    @torch.no_grad()
    def __call__(self, module, args, out):
        for row in out.detach().flatten(0, -2):
            self.n += 1
            delta = row - self.mean
            self.mean.add_(delta, alpha=1 / self.n)
            self.m2.addcmul_(delta, row - self.mean)

    def std(self):
        return (self.m2 / max(self.n - 1, 1)).sqrt_()


class FFN(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Layer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.mix, self.ffn = nn.LayerNorm(dim), nn.Linear(dim, dim), FFN(dim)

    def forward(self, x):
        y = self.norm(x)
        context = y.cumsum(1)
        context /= torch.arange(1, y.size(1) + 1).view(1, -1, 1)
        x = x + self.mix(context)
        return x + self.ffn(x)


class ContextModel(nn.Module):
    def __init__(self, vocab=12, dim=10, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(Layer(dim) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        for l in self.layers:
            x = l(x)
        return self.out(x)


def lm_loss(model, ids):
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


def contrastive_direction(model, pos, neg):
    stats = {}
    for name, ids in (("pos", pos), ("neg", neg)):
        stats[name] = RunningMoments(model.emb.embedding_dim)
        with HookManager(model).attach("layers.0.mix", stats[name]), torch.no_grad():
            model(ids)
    return (stats["pos"].mean - stats["neg"].mean).div_(stats["pos"].std().add_(1e-3))


def finetune(model, batches, hooks, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    with HookManager(model) as hm:
        for path, fn in hooks.items():
            hm.attach(path, fn)
        for ids in batches:
            loss = lm_loss(model, ids)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
model = ContextModel()
vec = contrastive_direction(model, torch.randint(0, 6, (2, 5)), torch.randint(6, 12, (2, 5)))
hooks = {"layers.0.mix": SteeringVector(vec, 0.5), "layers.1.ffn.down": ZeroTokens(0.3), "layers.1.mix": RunningMoments(10)}
finetune(model, [torch.randint(0, 12, (3, 6)) for _ in range(2)], hooks)
