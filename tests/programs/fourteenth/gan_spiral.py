"""Small GAN on a noisy 2-D spiral, hinge losses, one shared forward per iteration."""
from dataclasses import dataclass
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GanConfig:
    latent: int = 8
    width: int = 32
    lr_g: float = 2e-4
    lr_d: float = 4e-4
    batch: int = 24
    feature_weight: float = 0.1


def sample_spiral(n: int, generator: torch.Generator) -> torch.Tensor:
    t = torch.rand(n, generator=generator) * 3 * math.pi
    xy = torch.stack([t.cos(), t.sin()], dim=1) * t.unsqueeze(1) / 10
    return xy + 0.02 * torch.randn(n, 2, generator=generator)


class Generator(nn.Module):
    def __init__(self, cfg: GanConfig):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(cfg.latent, cfg.width), nn.LeakyReLU(0.2),
            nn.Linear(cfg.width, cfg.width), nn.LeakyReLU(0.2),
            nn.Linear(cfg.width, 2),
        )

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    """Returns the score and the penultimate features (for feature matching)."""

    def __init__(self, cfg: GanConfig):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(2, cfg.width), nn.LeakyReLU(0.2),
                                   nn.Linear(cfg.width, cfg.width), nn.LeakyReLU(0.2))
        self.head = nn.Linear(cfg.width, 1)

    def forward(self, x):
        feats = self.trunk(x)
        return self.head(feats).squeeze(1), feats


class GanTrainer:
    def __init__(self, cfg: GanConfig, seed: int = 0):
        self.cfg = cfg
        self.rng = torch.Generator().manual_seed(seed)
        self.gen, self.critic = Generator(cfg), Critic(cfg)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=cfg.lr_g, betas=(0.0, 0.9))
        self.opt_d = torch.optim.Adam(self.critic.parameters(), lr=cfg.lr_d, betas=(0.0, 0.9))
        self.log: list[dict] = []

    def losses(self, real):
        z = torch.randn(real.size(0), self.cfg.latent, generator=self.rng)
        fake = self.gen(z)
        s_real, f_real = self.critic(real)
        s_fake_d, _ = self.critic(fake.detach())
        s_fake_g, f_fake = self.critic(fake)
        d_loss = F.relu(1 - s_real).mean() + F.relu(1 + s_fake_d).mean()
        matching = (f_real.detach().mean(0) - f_fake.mean(0)).pow(2).sum()
        g_loss = -s_fake_g.mean() + self.cfg.feature_weight * matching
        return d_loss, g_loss

    def train_critic(self, loss):
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()  # BUG

    def train_generator(self, loss):
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()

    def iterate(self):
        real = sample_spiral(self.cfg.batch, self.rng)
        d_loss, g_loss = self.losses(real)
        self.train_critic(d_loss)
        self.train_generator(g_loss)
        self.log.append({"d": d_loss.item(), "g": g_loss.item()})


# --- driver ---
torch.manual_seed(0)
trainer = GanTrainer(GanConfig())
for _ in range(3):
    trainer.iterate()
print(trainer.log[-1])
