"""A critic's weights are clipped when its backward is done."""

import torch
from torch import nn


def step(critic, real, fake, limit):
    loss = critic(fake).mean() - critic(real).mean()
    loss.backward()
    for weight in critic.parameters():
        weight.data.clamp_(-limit, limit)


critic = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
step(critic, torch.randn(5, 3), torch.randn(5, 3), 0.05)
