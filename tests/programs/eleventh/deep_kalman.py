"""Kalman filtering with learned dynamics and noise for noisy tracks; missing observations are skipped."""
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class Belief:
    mean: Tensor
    cov: Tensor

    def copy(self) -> "Belief":
        return Belief(self.mean.clone(), self.cov.clone())


class NoiseNet(nn.Module):
    """Diagonal observation noise from context features."""

    def __init__(self, features: int, obs: int):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(features, 16), nn.SiLU(), nn.Linear(16, obs))

    def forward(self, ctx: Tensor) -> Tensor:
        return torch.diag_embed(nn.functional.softplus(self.net(ctx)) + 1e-3)


class LearnedKalman(nn.Module):
    def __init__(self, state: int, obs: int, features: int):
        super().__init__()
        self.F = nn.Parameter(torch.eye(state) + 0.05 * torch.randn(state, state))
        self.H = nn.Parameter(torch.randn(obs, state) / state ** 0.5)
        self.log_q = nn.Parameter(torch.full((state,), -2.0))
        self.m0 = nn.Parameter(torch.zeros(state))
        self.noise = NoiseNet(features, obs)

    def prior(self, n: int) -> Belief:
        eye = torch.eye(self.m0.numel())
        return Belief(self.m0.expand(n, -1), eye.expand(n, -1, -1).clone())

    def predict(self, b: Belief) -> Belief:
        Q = torch.diag(self.log_q.exp())
        return Belief(b.mean @ self.F.T, self.F @ b.cov @ self.F.T + Q)

    def innovation(self, b: Belief, z: Tensor, R: Tensor):
        err = z - b.mean @ self.H.T
        S = self.H @ b.cov @ self.H.T + R
        return err, S

    def correct(self, b: Belief, err: Tensor, S: Tensor, seen: Tensor) -> Belief:
        PHt = b.cov @ self.H.T
        K = torch.linalg.solve(S, PHt.mT).mT * seen[:, None, None]
        mean = b.mean + (K @ err.unsqueeze(-1)).squeeze(-1)
        b.cov -= K @ PHt.mT  # BUG
        return Belief(mean, b.cov)

    def log_likelihood(self, z: Tensor, ctx: Tensor, seen: Tensor) -> Tensor:
        belief = self.prior(z.shape[0])
        total = z.new_zeros(z.shape[0])
        for t in range(z.shape[1]):
            belief = self.predict(belief)
            err, S = self.innovation(belief, z[:, t], self.noise(ctx[:, t]))
            logp = torch.distributions.MultivariateNormal(torch.zeros_like(err), S).log_prob(err)
            total = total + logp * seen[:, t]
            belief = self.correct(belief, err, S, seen[:, t])
        return total


def tracks(n: int, steps: int, seed: int):
    g = torch.Generator().manual_seed(seed)
    pos, vel = torch.randn(n, 2, generator=g), 0.3 * torch.randn(n, 2, generator=g)
    quality = torch.rand(n, steps, 1, generator=g)
    rows = []
    for t in range(steps):
        vel = vel + 0.05 * torch.randn(n, 2, generator=g)
        pos = pos + vel
        rows.append(pos + (0.05 + quality[:, t]) * torch.randn(n, 2, generator=g))
    seen = (torch.rand(n, steps, generator=g) > 0.2).float()
    return torch.stack(rows, 1), quality, seen


# --- driver ---
torch.manual_seed(0)
model = LearnedKalman(state=4, obs=2, features=1)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    z, ctx, seen = tracks(6, 8, seed=epoch)
    loss = -(model.log_likelihood(z, ctx, seen) / seen.sum(1).clamp_min(1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
