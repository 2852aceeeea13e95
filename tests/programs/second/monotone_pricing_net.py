"""Monotone neural net for price elasticity; weights on the price path are kept non-negative."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Batch:
    price: torch.Tensor
    context: torch.Tensor
    demand: torch.Tensor


class MonotoneLinear(nn.Linear):
    def project(self):
        self.weight.data.clamp_(min=0.0)  # BUG silent


class PricePath(nn.Module):
    def __init__(self, hidden=12):
        super().__init__()
        self.l1 = MonotoneLinear(1, hidden)
        self.l2 = MonotoneLinear(hidden, hidden)
        self.l3 = MonotoneLinear(hidden, 1)

    def forward(self, p, ctx):
        h = torch.tanh(self.l1(p) + ctx)
        h = torch.tanh(self.l2(h))
        return self.l3(h)


class DemandModel(nn.Module):
    def __init__(self, n_ctx, hidden=12):
        super().__init__()
        self.context = nn.Sequential(nn.Linear(n_ctx, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, hidden))
        self.path = PricePath(hidden)
        self.level = nn.Linear(n_ctx, 1)

    def forward(self, price, ctx):
        return (self.level(ctx) - self.path(price, self.context(ctx))).squeeze(-1)

    def constraints(self):
        for m in self.modules():
            if isinstance(m, MonotoneLinear):
                yield m


class Objective:
    def __init__(self, model, l2=1e-3):
        self.model, self.l2 = model, l2

    def penalty(self):
        total = 0.0
        for m in self.model.constraints():
            m.project()
            total = total + m.weight.pow(2).sum()
        return self.l2 * total

    def __call__(self, batch):
        pred = self.model(batch.price, batch.context)
        nll = F.poisson_nll_loss(pred.clamp(max=6), batch.demand, log_input=True)
        return nll + self.penalty()


def synthetic(n, n_ctx):
    ctx = torch.randn(n, n_ctx)
    price = torch.rand(n, 1) * 3
    rate = torch.exp(0.5 * ctx[:, 0] - 0.7 * price.squeeze(1) + 1.0)
    return Batch(price, ctx, torch.poisson(rate))


def train(model, batches, lr=5e-3):
    objective = Objective(model)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    curve = []
    for b in batches:
        opt.zero_grad()
        loss = objective(b)
        loss.backward()
        opt.step()
        curve.append(loss.item())
    return curve


# --- driver ---
torch.manual_seed(0)
train(DemandModel(5), [synthetic(16, 5) for _ in range(2)])
