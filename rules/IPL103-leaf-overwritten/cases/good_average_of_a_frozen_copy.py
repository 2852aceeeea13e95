"""The average of a model is a frozen copy: none of its layers has a leaf that requires grad."""

from copy import deepcopy

import torch
from torch import nn


class World(nn.Module):
    def __init__(self, width, members):
        super().__init__()
        self.encoder = nn.Sequential(
            *[nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width), nn.Mish()) for _ in range(4)]
        )
        self.decoder = nn.Sequential(
            *[nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width), nn.Mish()) for _ in range(5)]
        )
        self.members = nn.ModuleList(
            [nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1)) for _ in range(members)]
        )

    def forward(self, x):
        x = self.decoder(self.encoder(x))
        return torch.stack([member(x) for member in self.members])


class Policy(nn.Module):
    def __init__(self, width, members):
        super().__init__()
        self.model = World(width, members)
        self.average = deepcopy(self.model)
        for parameter in self.average.parameters():
            parameter.requires_grad = False

    def forward(self, x):
        loss = (self.model(x) - self.average(x)).pow(2).mean()
        told = {}
        told.update({"loss": loss.item()})
        return loss, told

    def update(self, decay):
        move(self.average, self.model, decay)


def move(average, model, decay):
    for mean, module in zip(average.modules(), model.modules()):
        for (_, p_mean), (_, p) in zip(
            mean.named_parameters(recurse=False), module.named_parameters(recurse=False)
        ):
            if isinstance(module, nn.modules.batchnorm._BatchNorm) or not p.requires_grad:
                p_mean.copy_(p.data)
            with torch.no_grad():
                p_mean.mul_(decay).add_(p.data, alpha=1 - decay)
