"""Fine-tunes a tiny diffusion model by differentiating a reward through the DDIM chain."""
import math
from typing import Callable

import torch
import torch.nn as nn


class CosineSchedule:
    def __init__(self, steps: int):
        t = torch.linspace(0, 1, steps + 1)
        abar = torch.cos((t + 0.008) / 1.008 * math.pi / 2).square()
        self.abar = (abar / abar[0]).clamp(1e-4, 1.0)
        self.steps = steps

    def coefficients(self, i: int):
        return self.abar[i].sqrt(), (1 - self.abar[i]).sqrt()


class TimeEmbedding(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.register_buffer("freq", torch.exp(torch.linspace(0, 4, dim // 2)))
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        arg = t.unsqueeze(1) * self.freq
        return self.mlp(torch.cat([arg.sin(), arg.cos()], 1))


class Denoiser(nn.Module):
    def __init__(self, dim: int = 2, width: int = 32):
        super().__init__()
        self.time = TimeEmbedding(width)
        self.inp, self.mid, self.out = nn.Linear(dim, width), nn.Linear(width, width), nn.Linear(width, dim)

    def forward(self, x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        h = nn.functional.silu(self.inp(x) + self.time(t))
        return self.out(nn.functional.silu(self.mid(h)))


class DDIMSampler:
    """Deterministic sampler; the last `tail` steps keep their graph."""

    def __init__(self, model: nn.Module, schedule: CosineSchedule, tail: int):
        self.model, self.schedule, self.tail = model, schedule, tail

    def _denoise(self, x: torch.Tensor, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        a, s = self.schedule.coefficients(i)
        eps = self.model(x, torch.full((x.size(0),), i / self.schedule.steps))
        return (x - s * eps) / a, eps

    def _step(self, x: torch.Tensor, i: int) -> torch.Tensor:
        x0, eps = self._denoise(x, i)
        a, s = self.schedule.coefficients(i - 1)
        return torch.add(a * x0, s * eps)

    def sample(self, n: int, dim: int = 2) -> torch.Tensor:
        x = torch.randn(n, dim)
        for i in range(self.schedule.steps, 0, -1):
            with torch.set_grad_enabled(i <= self.tail):
                x[:] = self._step(x, i)  # BUG
        return x


def denoising_loss(model: nn.Module, schedule: CosineSchedule, x0: torch.Tensor) -> torch.Tensor:
    i = torch.randint(1, schedule.steps + 1, (x0.size(0),))
    abar = schedule.abar[i].unsqueeze(1)
    noise = torch.randn_like(x0)
    xt = abar.sqrt() * x0 + (1 - abar).sqrt() * noise
    return (model(xt, i / schedule.steps) - noise).square().mean()


def ring_reward(x: torch.Tensor, radius: float = 1.0) -> torch.Tensor:
    return -(x.norm(dim=1) - radius).square()


def pretrain(model, schedule, data, steps, lr=2e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        loss = denoising_loss(model, schedule, data[torch.randint(len(data), (32,))])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def reward_tune(sampler: DDIMSampler, reward: Callable, steps: int, batch: int, lr: float = 1e-3):
    opt = torch.optim.AdamW(sampler.model.parameters(), lr=lr)
    for _ in range(steps):
        value = reward(sampler.sample(batch)).mean()
        opt.zero_grad()
        (-value).backward()
        nn.utils.clip_grad_norm_(sampler.model.parameters(), 1.0)
        opt.step()
        yield value.item()


# --- driver ---
torch.manual_seed(8)
schedule, model = CosineSchedule(8), Denoiser()
print(pretrain(model, schedule, torch.randn(100, 2) * 0.3 + 1, 4))
print(list(reward_tune(DDIMSampler(model, schedule, tail=3), ring_reward, 3, 16)))
