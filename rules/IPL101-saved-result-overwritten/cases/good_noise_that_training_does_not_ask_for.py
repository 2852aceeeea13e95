"""Noise is added to the action where the policy plans, without gradients; training calls for the action alone."""

import torch
from torch import nn


class Actor(nn.Module):
    def __init__(self, width, actions):
        super().__init__()
        self.policy = nn.Sequential(nn.Linear(width, width), nn.Mish(), nn.Linear(width, actions))
        self.value = nn.Linear(width + actions, 1)

    def act(self, z, std=0.0):
        action = torch.tanh(self.policy(z))
        if std > 0:
            action += torch.randn_like(action) * std
        return action


class Planner(nn.Module):
    def __init__(self, width, actions, std):
        super().__init__()
        self.std = std
        self.actor = Actor(width, actions)

    @torch.no_grad()
    def plan(self, z):
        return self.actor.act(z, self.std)

    def forward(self, z):
        action = self.actor.act(z)
        return -self.actor.value(torch.cat([z, action], dim=-1)).mean()
