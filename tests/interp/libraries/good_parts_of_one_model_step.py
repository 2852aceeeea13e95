"""Two losses go through different parts of one model, each with an optimizer of its own."""

import torch
from torch import nn


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(3, 8), nn.Tanh())
        self.policy, self.value = nn.Linear(8, 2), nn.Linear(8, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.policy(h), self.value(h)


def alternate(model, first, second, batches):
    for x, target in batches:
        policy, value = model(x)
        first.zero_grad()
        nn.functional.cross_entropy(policy, target).backward(retain_graph=True)
        first.step()
        second.zero_grad()
        value.square().mean().backward()
        second.step()


if __name__ == "__main__":
    model = Both()
    first = torch.optim.SGD(model.policy.parameters(), 0.1)
    second = torch.optim.SGD([*model.trunk.parameters(), *model.value.parameters()], 0.1)
    alternate(model, first, second, [(torch.randn(4, 3), torch.tensor([0, 1, 0, 1]))] * 2)
