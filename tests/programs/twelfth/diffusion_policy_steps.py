"""Diffusion policy for action chunks with a one-step consistency term between neighbouring noise levels."""
import torch
from torch import nn
import torch.nn.functional as F
from dataclasses import dataclass


@dataclass
class PolicyConfig:
    horizon: int = 6
    act: int = 3
    obs: int = 5
    levels: int = 20
    width: int = 32
    consistency: float = 0.5


class Schedule:
    def __init__(self, levels):
        beta = torch.linspace(1e-3, 0.2, levels)
        self.alpha_bar = (1 - beta).cumprod(0)

    def coeff(self, t):
        ab = self.alpha_bar[t].view(-1, 1, 1)
        return ab.sqrt(), (1 - ab).sqrt()

    def noisy(self, x0, eps, t):
        a, s = self.coeff(t)
        return a * x0 + s * eps

    def clean(self, xt, eps, t):
        a, s = self.coeff(t)
        return (xt - s * eps) / a


class FiLM(nn.Module):
    def __init__(self, cond, ch):
        super().__init__()
        self.lin = nn.Linear(cond, 2 * ch)

    def forward(self, x, c):
        g, b = self.lin(c).unsqueeze(-1).chunk(2, 1)
        return (1 + g) * x + b


class Denoiser(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        w = cfg.width
        self.level = nn.Embedding(cfg.levels, w)
        self.obs = nn.Linear(cfg.obs, w)
        self.inp = nn.Conv1d(cfg.act, w, 3, padding=1)
        self.films = nn.ModuleList(FiLM(w, w) for _ in range(2))
        self.convs = nn.ModuleList(nn.Conv1d(w, w, 3, padding=1) for _ in range(2))
        self.out = nn.Conv1d(w, cfg.act, 1)

    def forward(self, x, t, obs):
        c = F.silu(self.level(t) + self.obs(obs))
        h = self.inp(x.transpose(1, 2))
        for film, conv in zip(self.films, self.convs):
            h = h + conv(F.mish(film(h, c)))
        return self.out(h).transpose(1, 2)


class DiffusionPolicy:
    def __init__(self, cfg):
        self.cfg, self.net, self.sched = cfg, Denoiser(cfg), Schedule(cfg.levels)
        self.opt = torch.optim.AdamW(self.net.parameters(), 1e-3)

    def consistency(self, x0, noise, t, obs, estimate):
        t -= 1  # BUG
        with torch.no_grad():
            xt = self.sched.noisy(x0, noise, t)
            target = self.sched.clean(xt, self.net(xt, t, obs), t)
        return (estimate - target).abs().mean()

    def loss(self, obs, actions):
        t = torch.randint(1, self.cfg.levels, (len(obs),))
        noise = torch.randn_like(actions)
        xt = self.sched.noisy(actions, noise, t)
        eps = self.net(xt, t, obs)
        mse = F.mse_loss(eps, noise)
        return mse + self.cfg.consistency * self.consistency(actions, noise, t, obs, self.sched.clean(xt, eps, t))

    def fit(self, batches):
        for obs, actions in batches:
            loss = self.loss(obs, actions)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            print(loss.item())


# --- driver ---
torch.manual_seed(45)
cfg = PolicyConfig()
DiffusionPolicy(cfg).fit([(torch.randn(8, cfg.obs), torch.randn(8, cfg.horizon, cfg.act)) for _ in range(3)])
