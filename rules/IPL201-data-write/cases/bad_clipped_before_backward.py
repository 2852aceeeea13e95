"""A critic's weights are clipped after its forward and before the backward that reads them."""

import torch
from torch import nn


def step(critic, real, fake, limit):
    loss = critic(fake).mean() - critic(real).mean()
    for weight in critic.parameters():
        weight.data.clamp_(-limit, limit)  # expect: IPL201
    loss.backward()


critic = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
step(critic, torch.randn(5, 3), torch.randn(5, 3), 0.05)
