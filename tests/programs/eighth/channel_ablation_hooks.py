import collections
import contextlib
import logging

import torch
import torch.nn as nn

log = logging.getLogger(__name__)


class GatedBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.value = nn.Linear(dim, dim)
        self.gate = nn.Sequential(nn.Linear(dim, dim), nn.Sigmoid())
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.norm(x + self.value(x) * self.gate(x))


class Regressor(nn.Module):
    def __init__(self, n_in, dim=12, depth=2):
        super().__init__()
        self.inp = nn.Linear(n_in, dim)
        self.blocks = nn.ModuleList(GatedBlock(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 1)

    def forward(self, x):
        h = self.inp(x)
        for b in self.blocks:
            h = b(h)
        return self.out(h).squeeze(-1)


class ActivationRecorder:
    """Collects running means of selected module outputs."""

    def __init__(self):
        self.sums = {}
        self.counts = collections.Counter()

    def __call__(self, name):
        def hook(module, args, output):
            flat = output.detach().abs().mean(0)
            if name not in self.sums:
                self.sums[name] = torch.zeros_like(flat)
            self.sums[name].add_(flat)
            self.counts[name] += 1
        return hook

    def least_used(self, name, k):
        return (self.sums[name] / self.counts[name]).topk(k, largest=False).indices


class Ablator:
    def __init__(self, channels, strength=1.0):
        self.channels, self.strength = channels, strength

    def hook(self, module, args, output):
        keep = torch.ones(output.size(-1))
        keep[self.channels] = 1.0 - self.strength
        output *= keep  # BUG
        return output


@contextlib.contextmanager
def hooked(pairs):
    handles = [m.register_forward_hook(fn) for m, fn in pairs]
    try:
        yield
    finally:
        for h in handles:
            h.remove()


def gates_of(model):
    return {n: m for n, m in model.named_modules() if isinstance(m, nn.Sigmoid)}


def profile(model, loader):
    rec = ActivationRecorder()
    with hooked([(m, rec(n)) for n, m in gates_of(model).items()]), torch.no_grad():
        for x, _ in loader:
            model(x)
    return rec


def finetune_ablated(model, loader, k, lr=1e-3):
    rec = profile(model, loader)
    pairs = [(m, Ablator(rec.least_used(n, k)).hook) for n, m in gates_of(model).items()]
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    total = 0.0
    with hooked(pairs):
        for x, y in loader:
            loss = nn.functional.huber_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
    log.info("finetuned with %d channels ablated, loss %.4f", k, total)
    return total


def toy_loader(n_batches, n_in, seed):
    g = torch.Generator().manual_seed(seed)
    w = torch.randn(n_in, generator=g)
    out = []
    for _ in range(n_batches):
        x = torch.randn(8, n_in, generator=g)
        out.append((x, x @ w))
    return out


# --- driver ---
torch.manual_seed(0)
finetune_ablated(Regressor(5), toy_loader(2, 5, seed=1), k=3)
