import abc

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class OutcomeModel(nn.Module, abc.ABC):
    @abc.abstractmethod
    def represent(self, x):
        ...

    @abc.abstractmethod
    def potential(self, h):
        ...


class DragonHead(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim)
        self.fc2 = nn.Linear(dim, 1)

    def forward(self, h):
        return self.fc2(F.elu(self.fc1(h))).squeeze(-1)


class DragonNet(OutcomeModel):
    def __init__(self, d_in, dim=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, dim), nn.ELU(), nn.Linear(dim, dim), nn.ELU())
        self.y0, self.y1 = DragonHead(dim), DragonHead(dim)
        self.treat = nn.Linear(dim, 1)
        self.epsilon = nn.Parameter(torch.zeros(1))

    def represent(self, x):
        return self.body(x)

    def potential(self, h):
        return self.y0(h), self.y1(h)

    def forward(self, x):
        h = self.represent(x)
        y0, y1 = self.potential(h)
        propensity = torch.sigmoid(self.treat(h)).squeeze(-1)
        return y0, y1, propensity


def trim(propensity, low=0.05, high=0.95):
    propensity.clamp_(low, high)  # BUG
    return propensity


def targeted_regularisation(model, y, t, y_hat, g):
    clever = t / g - (1 - t) / (1 - g)
    perturbed = y_hat + model.epsilon * clever
    return (y - perturbed).pow(2).mean()


def dragon_loss(model, batch, alpha=1.0, beta=1.0):
    x, t, y = batch
    y0, y1, g = model(x)
    g = trim(g)
    y_hat = t * y1 + (1 - t) * y0
    factual = F.mse_loss(y_hat, y)
    treat = F.binary_cross_entropy(g, t)
    return factual + alpha * treat + beta * targeted_regularisation(model, y, t, y_hat, g)


def simulate(n, d, rng):
    x = rng.normal(size=(n, d)).astype(np.float32)
    p = 1 / (1 + np.exp(-x[:, 0]))
    t = (rng.uniform(size=n) < p).astype(np.float32)
    y = x.sum(1) + 2 * t + rng.normal(size=n).astype(np.float32) * 0.1
    y -= y.mean()
    return tuple(torch.from_numpy(a.astype(np.float32)) for a in (x, t, y))


def estimate_ate(model, x):
    with torch.no_grad():
        y0, y1, _ = model(x)
    return (y1 - y0).mean().item()


def fit(model, batch, steps=2):
    opt = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    for _ in range(steps):
        opt.zero_grad()
        dragon_loss(model, batch).backward()
        opt.step()
    return estimate_ate(model, batch[0])


# --- driver ---
torch.manual_seed(0)
fit(DragonNet(5), simulate(16, 5, np.random.default_rng(0)))
