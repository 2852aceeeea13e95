"""Neural Granger causality: one small network per series, group-lasso on the input layer by proximal steps."""
import math

import torch
from torch import nn


class SeriesNet(nn.Module):
    """Predicts one series from the lags of all of them."""

    def __init__(self, n_series, lags, hidden):
        super().__init__()
        self.first = nn.Conv1d(n_series, hidden, lags)
        self.rest = nn.Sequential(nn.ReLU(), nn.Conv1d(hidden, 1, 1))

    def forward(self, x):
        return self.rest(self.first(x)).squeeze(1)

    @property
    def input_norms(self):
        return self.first.weight.detach().norm(dim=(0, 2))


class GrangerModel(nn.Module):
    def __init__(self, n_series, lags=3, hidden=8):
        super().__init__()
        self.nets = nn.ModuleList(SeriesNet(n_series, lags, hidden) for _ in range(n_series))
        self.lags = lags

    def forward(self, x):
        return torch.stack([net(x[..., :-1]) for net in self.nets], dim=1)

    def graph(self, threshold=0.0):
        return torch.stack([net.input_norms for net in self.nets]) > threshold


@torch.no_grad()
def group_prox(weight, step, lam):
    """Block soft-threshold over the input channels, in place."""
    norm = weight.norm(dim=(0, 2), keepdim=True).clamp_(min=step * lam)
    weight.mul_(1 - step * lam / norm)


class ISTA:
    """Gradient step on the smooth part, prox on the rest; halves the step when the objective rises."""

    def __init__(self, model, lam, ridge, step=0.1):
        self.model, self.lam, self.ridge, self.step = model, lam, ridge, step
        self.last = math.inf

    def smooth(self, x):
        pred = self.model(x)
        fit = (pred - x[..., self.model.lags:]).square().mean(dim=(0, 2)).sum()
        ridge = sum(net.rest[1].weight.square().sum() for net in self.model.nets)
        return fit + self.ridge * ridge

    def sparse(self):
        return self.lam * sum(net.input_norms.sum() for net in self.model.nets)

    def iterate(self, x):
        self.model.zero_grad(set_to_none=True)
        smooth = self.smooth(x)
        smooth.backward()
        with torch.no_grad():
            for p in self.model.parameters():
                p.sub_(p.grad, alpha=self.step)
        for net in self.model.nets:
            group_prox(net.first.weight, self.step, self.lam)
        total = smooth.item() + float(self.sparse())
        if total > self.last:
            self.step *= 0.5
        self.last = total
        return total


def simulate_var(n_series, length, seed):
    gen = torch.Generator().manual_seed(seed)
    A = 0.5 * torch.eye(n_series)
    A[0, 1] = 0.4
    x = torch.zeros(n_series, length)
    x[:, 0] = torch.randn(n_series, generator=gen)
    for t in range(1, length):
        x[:, t] = A @ x[:, t - 1] + 0.3 * torch.randn(n_series, generator=gen)
    x -= x.mean(1, keepdim=True)
    x /= x.std(1, keepdim=True)
    return x.unsqueeze(0)


# --- driver ---
torch.manual_seed(0)
data = simulate_var(4, 80, seed=1)
model = GrangerModel(4)
algo = ISTA(model, lam=0.05, ridge=1e-3)
trace = [algo.iterate(data) for _ in range(10)]
print(trace[-1], model.graph().int())
