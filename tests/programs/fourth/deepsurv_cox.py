import numpy as np
import torch
from torch import nn


class Standardiser:
    """Running mean and variance over batches (Welford, batched)."""

    def __init__(self, dim):
        self.n = 0
        self.mean = torch.zeros(dim)
        self.m2 = torch.zeros(dim)

    def update(self, x):
        b = len(x)
        delta = x.mean(0) - self.mean
        total = self.n + b
        self.mean += delta * b / total
        self.m2 += x.var(0, unbiased=False) * b + delta ** 2 * self.n * b / total
        self.n = total

    def __call__(self, x):
        return x.sub(self.mean).div_((self.m2 / max(self.n, 1)).sqrt_().clamp_(min=1e-4))


class RiskNet(nn.Module):
    def __init__(self, dim, hidden=16, p=0.1):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(dim, hidden), nn.BatchNorm1d(hidden), nn.SELU(inplace=True), nn.Dropout(p),
            nn.Linear(hidden, 1, bias=False))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def cox_ph(log_risk, time, event):
    order = time.argsort(descending=True)
    lr, ev = log_risk[order], event[order]
    lr = lr - lr.max().detach()
    log_cum = lr.exp().cumsum(0).add_(1e-8).log_()
    contrib = lr - log_cum
    contrib *= ev
    return -contrib.sum() / ev.sum().clamp_(min=1)


def concordance(risk, time, event):
    comparable = (time[:, None] < time[None]) & event[:, None].bool()
    comparable.fill_diagonal_(False)
    better = (risk[:, None] > risk[None]).float()
    better[risk[:, None] == risk[None]] = 0.5
    better.masked_fill_(~comparable, 0.0)
    return (better.sum() / comparable.sum().clamp(min=1)).item()


class Breslow:
    def __init__(self):
        self.times = self.hazard = None

    @torch.no_grad()
    def fit(self, log_risk, time, event):
        self.times, order = time.sort()
        risk = log_risk[order].exp_()
        at_risk = risk.flip(0).cumsum_(0).flip(0)
        self.hazard = event[order].div(at_risk).cumsum_(0)
        return self

    def survival(self, log_risk, t):
        k = int(torch.searchsorted(self.times, t)) - 1
        base = self.hazard[max(k, 0)]
        return torch.exp(-base * log_risk.exp())


def make_cohort(n, d, rng):
    x = rng.normal(size=(n, d))
    t = rng.exponential(1 / np.exp(x[:, 0]))
    c = rng.exponential(1.5, size=n)
    event = (t <= c).astype(np.float32)
    np.minimum(t, c, out=t)
    return [torch.tensor(a, dtype=torch.float32) for a in (x, t, event)]


def train(cohort, epochs=2, lr=1e-2):
    x, time, event = cohort
    scaler, net = Standardiser(x.shape[1]), RiskNet(x.shape[1])
    opt = torch.optim.Adam(net.parameters(), lr=lr, weight_decay=1e-4)
    for _ in range(epochs):
        scaler.update(x)
        opt.zero_grad()
        cox_ph(net(scaler(x)), time, event).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        risk = net(scaler(x))
    return concordance(risk, time, event), Breslow().fit(risk, time, event)


# --- driver ---
torch.manual_seed(0)
ci, base = train(make_cohort(20, 4, np.random.default_rng(0)))
base.survival(torch.zeros(2), torch.tensor(0.5))
