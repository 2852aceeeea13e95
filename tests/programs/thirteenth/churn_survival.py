import torch
import torch.nn as nn
from collections import namedtuple

Curve = namedtuple("Curve", "hazard survival")
Obs = namedtuple("Obs", "x time event")


class MonotoneTimeEmbedding(nn.Module):
    def __init__(self, horizon, dim):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(horizon, dim) * 0.1)

    def forward(self):
        return nn.functional.softplus(self.raw).cumsum(0)


class DiscreteSurvival(nn.Module):
    """Logistic hazard model on monthly bins."""

    def __init__(self, n_feat, horizon=12, dim=16):
        super().__init__()
        self.horizon = horizon
        self.enc = nn.Sequential(nn.Linear(n_feat, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.time = MonotoneTimeEmbedding(horizon, dim)
        self.bias = nn.Parameter(torch.full((horizon,), -2.0))

    def forward(self, x):
        hz = torch.sigmoid(self.enc(x) @ self.time().t() / 4 + self.bias)
        return Curve(hz, torch.cumprod(1 - hz, dim=1))


def nll(curve, obs):
    h, s = curve
    i = obs.time[:, None]
    s_prev = torch.cat([torch.ones_like(s[:, :1]), s[:, :-1]], 1).gather(1, i)
    died = torch.log(h.gather(1, i).clamp(min=1e-6)) + torch.log(s_prev)
    lived = torch.log(s.gather(1, i))
    return -torch.where(obs.event[:, None], died, lived).mean()


def ranking(curve, obs, sigma=0.1):
    risk = 1 - curve.survival
    ri = risk.gather(1, obs.time[:, None])
    rj = risk[:, obs.time].t()
    comparable = (obs.time[:, None] < obs.time[None]) & obs.event[:, None]
    eta = torch.exp(-(ri - rj) / sigma).clamp(max=50)
    return (eta * comparable).sum() / comparable.sum().clamp(min=1)


class BrierTracker:
    """Integrated Brier score with known censoring removed from the later bins."""

    def __init__(self, horizon):
        self.bins = torch.arange(horizon)
        self.total, self.n = 0.0, 0

    def update(self, curve, obs):
        s = curve.survival.detach()
        alive = (obs.time[:, None] > self.bins).float()
        unknown = (~obs.event)[:, None] & (self.bins >= obs.time[:, None])
        s[unknown] = 0.0  # BUG
        self.total += float((s - alive).square().mean())
        self.n += 1

    @property
    def value(self):
        return self.total / max(self.n, 1)


class Fitter:
    def __init__(self, model, lr=5e-3, rank_weight=0.2):
        self.model, self.rank_weight = model, rank_weight
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.brier = BrierTracker(model.horizon)

    def step(self, obs):
        curve = self.model(obs.x)
        loss = nll(curve, obs) + self.rank_weight * ranking(curve, obs)
        self.brier.update(curve, obs)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def cohort(n, feats, horizon):
    x = torch.randn(n, feats)
    rate = torch.sigmoid(x[:, 0] - 1)
    t = torch.distributions.Geometric(rate.clamp(0.02, 0.9)).sample().long()
    censor = torch.randint(1, horizon, (n,))
    return Obs(x, torch.minimum(t, censor).clamp_(max=horizon - 1), t <= censor)


# --- driver ---
torch.manual_seed(0)
fit = Fitter(DiscreteSurvival(6))
print([fit.step(cohort(32, 6, 12)) for _ in range(3)], fit.brier.value)
