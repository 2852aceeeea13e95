"""Running normalisation of features for an off-policy value estimator."""
from __future__ import annotations
import random
from collections import deque
from typing import NamedTuple

import torch
from torch import nn, Tensor


class Transition(NamedTuple):
    obs: Tensor
    reward: Tensor
    nxt: Tensor


class RunningScale(nn.Module):
    running_std: Tensor
    running_mean: Tensor

    def __init__(self, dim: int, momentum: float = 0.05):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("running_mean", torch.zeros(dim))
        self.register_buffer("running_std", torch.ones(dim))

    @torch.no_grad()
    def observe(self, x: Tensor) -> None:
        self.running_mean.lerp_(x.mean(0), self.momentum)
        self.running_std.lerp_(x.std(0).clamp_(min=1e-3), self.momentum)  # BUG

    def forward(self, x: Tensor) -> Tensor:
        y = (x - self.running_mean) / self.running_std
        if self.training:
            self.observe(x)
        return y


class Encoder(nn.Module):
    def __init__(self, obs_dim: int, dim: int):
        super().__init__()
        self.proj = nn.Linear(obs_dim, dim)
        self.scale = RunningScale(dim)

    def forward(self, obs: Tensor) -> Tensor:
        return torch.tanh(self.scale(self.proj(obs)))


class ValueNet(nn.Module):
    def __init__(self, obs_dim: int, dim: int = 12):
        super().__init__()
        self.encoder = Encoder(obs_dim, dim)
        self.value = nn.Linear(dim, 1)

    def forward(self, obs):
        return self.value(self.encoder(obs)).squeeze(-1)


class Replay:
    def __init__(self, cap: int):
        self.mem: deque[Transition] = deque(maxlen=cap)

    def push(self, *t):
        self.mem.append(Transition(*t))

    def sample(self, k: int) -> Transition:
        return Transition(*map(torch.stack, zip(*random.sample(list(self.mem), k))))


def td_step(net: ValueNet, opt: torch.optim.Optimizer, batch: Transition, gamma: float = 0.99) -> float:
    net.eval()
    with torch.no_grad():
        target = batch.reward + gamma * net(batch.nxt)
    net.train()
    loss = nn.functional.smooth_l1_loss(net(batch.obs), target)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(0); random.seed(0)
replay = Replay(50)
for _ in range(30):
    replay.push(torch.randn(5), torch.randn(()), torch.randn(5))
net = ValueNet(5)
td_step(net, torch.optim.SGD(net.parameters(), lr=0.1), replay.sample(8))
