"""Optimizers that stand in a dict step in turn, and the second loss needs what the first has changed."""

import torch
import torch.nn.functional as F
from torch import nn


class Agent:
    def __init__(self, actor, critic, optimizers):
        self.actor, self.critic, self.optimizers = actor, critic, optimizers

    def value(self, state, action):
        return self.critic(torch.cat([state, action], dim=-1))

    def update(self, state, action, returns):
        losses = {
            "critic": F.mse_loss(self.value(state, action), returns),
            "actor": -self.value(state, self.actor(state)).mean(),
        }
        for name in ("critic", "actor"):
            self.optimizers[name].zero_grad()
            losses[name].backward()
            self.optimizers[name].step()  # expect: IPL106


if __name__ == "__main__":
    actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    critic = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizers = {
        "actor": torch.optim.Adam(actor.parameters()),
        "critic": torch.optim.Adam(critic.parameters()),
    }
    Agent(actor, critic, optimizers).update(torch.randn(4, 3), torch.randn(4, 2), torch.randn(4, 1))
