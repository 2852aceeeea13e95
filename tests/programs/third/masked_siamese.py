"""Iterative magnitude pruning of a siamese matcher."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SparseLinear(nn.Linear):
    def __init__(self, *a, **kw):
        super().__init__(*a, **kw)
        self.register_buffer("mask", torch.ones_like(self.weight))

    @property
    def density(self):
        return self.mask.mean().item()

    def shrink(self, frac):
        alive = self.weight.detach().abs()[self.mask.bool()]
        k = int(frac * alive.numel())
        if k == 0:
            return
        cut = alive.kthvalue(k).values
        self.mask[self.weight.detach().abs() <= cut] = 0

    def forward(self, x):
        with torch.no_grad():
            self.weight.mul_(self.mask)  # BUG
        return F.linear(x, self.weight, self.bias)


class Tower(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.l1 = SparseLinear(dim, 16)
        self.l2 = SparseLinear(16, dim)

    def forward(self, bags):
        return F.normalize(self.l2(F.relu(self.l1(self.emb(bags)))), dim=-1)


class Matcher(nn.Module):
    def __init__(self, vocab=30, dim=8):
        super().__init__()
        self.tower = Tower(vocab, dim)
        self.scale = nn.Parameter(torch.tensor(5.0))

    def forward(self, a, b):
        return self.scale * (self.tower(a) * self.tower(b)).sum(-1)


class PruneSchedule:
    def __init__(self, model, every, frac, stop=0.2):
        self.layers = [m for m in model.modules() if isinstance(m, SparseLinear)]
        self.every, self.frac, self.stop = every, frac, stop

    def __call__(self, step):
        if step and step % self.every == 0:
            for layer in self.layers:
                if layer.density > self.stop:
                    layer.shrink(self.frac)

    def report(self):
        return [round(l.density, 3) for l in self.layers]


def run(model, pairs, schedule, lr=0.05):
    opt = torch.optim.Adagrad(model.parameters(), lr=lr)
    for step, (a, b, same) in enumerate(pairs):
        schedule(step)
        loss = F.binary_cross_entropy_with_logits(model(a, b), same)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return schedule.report()


# --- driver ---
torch.manual_seed(12)
matcher = Matcher()
rand = lambda: torch.randint(0, 30, (4, 5))
pairs = [(rand(), rand(), torch.randint(0, 2, (4,)).float()) for _ in range(2)]
run(matcher, pairs, PruneSchedule(matcher, every=1, frac=0.3))
