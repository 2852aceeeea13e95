"""A model returns two things at once; the optimizer steps between the backwards of both."""

import torch
from torch import nn


def alternate(model, optimizer, x, target):
    policy, value = model(x)
    optimizer.zero_grad()
    nn.functional.cross_entropy(policy, target).backward(retain_graph=True)
    optimizer.step()  # expect: IPL106
    optimizer.zero_grad()
    value.square().mean().backward()
    optimizer.step()


if __name__ == "__main__":

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
            self.policy, self.value = nn.Linear(8, 2), nn.Linear(8, 1)

        def forward(self, x):
            h = self.trunk(x)
            return self.policy(h), self.value(h)

    model = Both()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    alternate(model, optimizer, torch.randn(4, 3), torch.tensor([0, 1, 0, 1]))
