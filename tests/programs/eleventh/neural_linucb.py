"""Contextual bandit with a neural encoder and LinUCB on top; the encoder also learns from the exploration bonus."""
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class BanditConfig:
    context: int = 6
    arms: int = 4
    features: int = 8
    alpha: float = 0.5
    ridge: float = 1.0
    bonus_weight: float = 0.05


class Ridge:
    """Online ridge regression, the inverse Gram matrix kept by rank-one updates."""

    def __init__(self, dim: int, lam: float):
        self.inv = torch.eye(dim) / lam
        self.b = torch.zeros(dim)

    @property
    def theta(self) -> torch.Tensor:
        return self.inv @ self.b

    def width(self, phi: torch.Tensor) -> torch.Tensor:
        return ((phi @ self.inv) * phi).sum(-1).clamp_min(1e-8).sqrt()

    def update(self, phi: torch.Tensor, reward: float) -> None:
        v = self.inv @ phi
        self.inv -= torch.outer(v, v) / (1 + phi @ v)  # BUG
        self.b += reward * phi


class Encoder(nn.Module):
    def __init__(self, cfg: BanditConfig):
        super().__init__()
        self.arm = nn.Embedding(cfg.arms, cfg.context)
        self.net = nn.Sequential(nn.Linear(2 * cfg.context, 24), nn.ReLU(), nn.Linear(24, cfg.features))
        self.reward = nn.Linear(cfg.features, 1)

    def forward(self, context: torch.Tensor) -> torch.Tensor:
        n = self.arm.num_embeddings
        ctx = context.expand(n, -1)
        return nn.functional.normalize(self.net(torch.cat([ctx, self.arm.weight], -1)), dim=-1)


class World:
    def __init__(self, cfg: BanditConfig):
        self.w = torch.randn(cfg.arms, cfg.context)

    def context(self) -> torch.Tensor:
        return torch.randn(self.w.shape[1])

    def pull(self, context, arm: int) -> float:
        return torch.tanh(self.w[arm] @ context).item() + 0.1 * torch.randn(()).item()


class Agent:
    def __init__(self, cfg: BanditConfig):
        self.cfg = cfg
        self.encoder = Encoder(cfg)
        self.ridge = Ridge(cfg.features, cfg.ridge)
        self.opt = torch.optim.Adam(self.encoder.parameters(), lr=2e-3)

    def act(self, context):
        phi = self.encoder(context)
        width = self.ridge.width(phi)
        ucb = phi @ self.ridge.theta + self.cfg.alpha * width
        arm = int(ucb.argmax())
        return arm, phi[arm], width[arm]

    def learn(self, phi, width, reward):
        pred = self.encoder.reward(phi).squeeze(-1)
        loss = (pred - reward) ** 2 + self.cfg.bonus_weight * width
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def play(agent: Agent, world: World, rounds: int):
    total = 0.0
    for _ in range(rounds):
        ctx = world.context()
        arm, phi, width = agent.act(ctx)
        reward = world.pull(ctx, arm)
        agent.ridge.update(phi.detach(), reward)
        agent.learn(phi, width, reward)
        total += reward
    return total / rounds


# --- driver ---
torch.manual_seed(0)
cfg = BanditConfig()
print(play(Agent(cfg), World(cfg), 12))
