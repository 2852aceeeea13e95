"""A small callback-driven trainer, used here for a Wasserstein critic."""
from collections import defaultdict
from typing import Any, Dict

import torch
import torch.nn as nn


class Callback:
    order = 0

    def on_batch_start(self, trainer): ...
    def on_loss(self, trainer): ...
    def on_batch_end(self, trainer): ...


class WeightClip(Callback):
    """Keeps every critic parameter in a box (Lipschitz by brute force)."""

    def __init__(self, bound: float):
        self.bound = bound

    @torch.no_grad()
    def on_loss(self, trainer):
        for p in trainer.module.critic.parameters():
            p.clamp_(-self.bound, self.bound)  # BUG


class Meter(Callback):
    order = 10

    def __init__(self):
        self.sums: Dict[str, float] = defaultdict(float)

    def on_loss(self, trainer):
        for k, v in trainer.logs.items():
            self.sums[k] += float(v)


class LinearWarmup(Callback):
    def __init__(self, steps: int):
        self.steps = steps

    def on_batch_start(self, trainer):
        scale = min(1.0, (trainer.global_step + 1) / self.steps)
        for group in trainer.optimizer.param_groups:
            group["lr"] = group["base_lr"] * scale


class GradNoise(Callback):
    def __init__(self, std: float):
        self.std = std

    @torch.no_grad()
    def on_batch_end(self, trainer):
        for group in trainer.optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad.add_(torch.randn_like(p.grad), alpha=self.std)


class CriticModule(nn.Module):
    def __init__(self, dim: int, hidden: int = 32, zdim: int = 4):
        super().__init__()
        self.critic = nn.Sequential(nn.Linear(dim, hidden), nn.LeakyReLU(0.2), nn.Linear(hidden, hidden),
                                    nn.LeakyReLU(0.2), nn.Linear(hidden, 1))
        self.prior = nn.Sequential(nn.Linear(zdim, dim), nn.Tanh()).requires_grad_(False)
        self.zdim = zdim

    def configure(self):
        lr = 5e-3
        return torch.optim.RMSprop([{"params": self.critic.parameters(), "lr": lr, "base_lr": lr}])

    def training_step(self, real: torch.Tensor, logs: Dict[str, Any]):
        fake = self.prior(torch.randn(len(real), self.zdim))
        w = self.critic(real).mean() - self.critic(fake).mean()
        logs["wasserstein"] = w.detach()
        return -w


class Trainer:
    def __init__(self, module: nn.Module, callbacks=()):
        self.module = module
        self.callbacks = sorted(callbacks, key=lambda c: c.order)
        self.optimizer = module.configure()
        self.global_step, self.logs = 0, {}

    def emit(self, event: str):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def fit(self, loader, epochs: int = 1):
        for _ in range(epochs):
            for batch in loader:
                self.emit("on_batch_start")
                self.logs.clear()
                loss = self.module.training_step(batch, self.logs)
                self.emit("on_loss")
                self.optimizer.zero_grad()
                loss.backward()
                self.emit("on_batch_end")
                self.optimizer.step()
                self.global_step += 1


# --- driver ---
torch.manual_seed(18)
loader = [torch.randn(16, 2) * 0.3 + torch.tensor([1.0, -1.0]) for _ in range(3)]
trainer = Trainer(CriticModule(2), [Meter(), WeightClip(0.05), LinearWarmup(3), GradNoise(1e-3)])
trainer.fit(loader, epochs=1)
