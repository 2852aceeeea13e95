"""WGAN for tabular data with weight clipping and an n-critic schedule."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class WGANConfig:
    n_cont: int = 4
    n_cat: int = 3
    z_dim: int = 6
    hidden: int = 24
    clip: float = 0.03
    n_critic: int = 2
    lr: float = 5e-4

    @property
    def row_dim(self):
        return self.n_cont + self.n_cat


class TableGenerator(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.body = nn.Sequential(nn.Linear(cfg.z_dim, cfg.hidden), nn.BatchNorm1d(cfg.hidden), nn.ReLU(inplace=True),
                                  nn.Linear(cfg.hidden, cfg.row_dim))

    def forward(self, n):
        out = self.body(torch.randn(n, self.cfg.z_dim))
        cont = torch.tanh(out[:, :self.cfg.n_cont])
        cat = F.gumbel_softmax(out[:, self.cfg.n_cont:], tau=0.5)
        return torch.cat([cont, cat], dim=1)


class TableCritic(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.fc1 = nn.Linear(cfg.row_dim, cfg.hidden)
        self.fc2 = nn.Linear(cfg.hidden, cfg.hidden)
        self.fc3 = nn.Linear(cfg.hidden, 1)

    def forward(self, x):
        x = F.leaky_relu(self.fc1(x), 0.2)
        x = F.leaky_relu(self.fc2(x), 0.2)
        return self.fc3(x)


class WGAN:
    def __init__(self, cfg):
        self.cfg = cfg
        self.gen, self.critic = TableGenerator(cfg), TableCritic(cfg)
        self.opt_g = torch.optim.RMSprop(self.gen.parameters(), lr=cfg.lr)
        self.opt_c = torch.optim.RMSprop(self.critic.parameters(), lr=cfg.lr)

    def clip_weights(self):
        for p in self.critic.parameters():
            p.data.clamp_(-self.cfg.clip, self.cfg.clip)  # BUG silent

    def critic_loss(self, real):
        fake = self.gen(real.size(0)).detach()
        return self.critic(fake).mean() - self.critic(real).mean()

    def critic_step(self, real):
        loss = self.critic_loss(real)
        self.clip_weights()
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return -loss.item()

    def generator_step(self, n):
        loss = -self.critic(self.gen(n)).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def fit(self, sampler, steps):
        log = []
        for _ in range(steps):
            w = 0.0
            for _ in range(self.cfg.n_critic):
                w = self.critic_step(sampler())
            log.append((w, self.generator_step(16)))
        return log


def make_rows(cfg, n=16):
    cont = torch.randn(n, cfg.n_cont).mul_(0.5).tanh_()
    cat = F.one_hot(torch.randint(0, cfg.n_cat, (n,)), cfg.n_cat).float()
    return torch.cat([cont, cat], 1)


# --- driver ---
cfg = WGANConfig()
print(WGAN(cfg).fit(lambda: make_rows(cfg), steps=1))
