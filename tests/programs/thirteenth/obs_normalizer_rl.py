"""Value-function pretraining with running observation normalisation (s and s' share the normaliser)."""
import copy
import math

import torch
import torch.nn as nn


class RunningMeanStd(nn.Module):
    def __init__(self, shape, eps=1e-4):
        super().__init__()
        self.register_buffer("mean", torch.zeros(shape))
        self.register_buffer("var", torch.ones(shape))
        self.register_buffer("count", torch.tensor(eps))

    @torch.no_grad()
    def update(self, batch):
        m, v, n = batch.mean(0), batch.var(0, unbiased=False), batch.shape[0]
        delta = m - self.mean
        tot = self.count + n
        self.mean.add_(delta * n / tot)
        m2 = self.var * self.count + v * n + delta.square() * self.count * n / tot
        self.var.copy_(m2 / tot)
        self.count.copy_(tot)


class Normalise(nn.Module):
    def __init__(self, rms, clip=5.0):
        super().__init__()
        self.rms, self.clip = rms, clip

    def forward(self, obs):
        if self.training:
            self.rms.update(obs.detach())
        z = (obs - self.rms.mean) / torch.sqrt(self.rms.var + 1e-8)
        return z.clamp(-self.clip, self.clip)


class CriticWithTarget(nn.Module):
    def __init__(self, obs_dim, tau=0.05):
        super().__init__()
        self.norm = Normalise(RunningMeanStd(obs_dim))
        self.v = nn.Sequential(nn.Linear(obs_dim, 32), nn.ELU(inplace=True), nn.Linear(32, 1))
        self.v_targ = copy.deepcopy(self.v).requires_grad_(False)
        self.tau = tau

    def value(self, obs):
        return self.v(self.norm(obs)).squeeze(-1)

    @torch.no_grad()
    def target_value(self, obs):
        return self.v_targ(self.norm(obs)).squeeze(-1)

    @torch.no_grad()
    def polyak(self):
        for p, q in zip(self.v.parameters(), self.v_targ.parameters()):
            q.mul_(1 - self.tau).add_(p, alpha=self.tau)


class Pendulumish:
    def __init__(self, n):
        self.th = torch.rand(n) * 2 * math.pi
        self.om = torch.zeros(n)

    @property
    def obs(self):
        return torch.stack([self.th.cos(), self.th.sin(), 8 * self.om], dim=1)

    def step(self):
        s = self.obs
        u = torch.rand_like(self.th).mul_(4).sub_(2)
        self.om += 0.05 * (15 * self.th.sin() + 3 * u)
        self.om.clamp_(-8, 8)
        self.th += 0.05 * self.om
        r = -(self.th.remainder(2 * math.pi) - math.pi).square() - 0.1 * self.om.square()
        return s, r * 0.01, self.obs


# --- driver ---
torch.manual_seed(0)
env, critic = Pendulumish(32), CriticWithTarget(3)
opt = torch.optim.Adam(critic.v.parameters(), lr=3e-3)
for t in range(6):
    s, r, s2 = env.step()
    v = critic.value(s)
    td = r + 0.97 * critic.target_value(s2) - v
    loss = td.square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    critic.polyak()
print("td", loss.item(), "n", critic.norm.rms.count.item())
