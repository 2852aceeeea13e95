"""What a training function is given beside its model is data: the weights of its loss are scaled in place."""

import torch
from torch import nn


def step(model, optimizer, points, baseline):
    guess = model(points)
    weight = points.norm(dim=-1) - baseline
    weight /= weight.std() + 1e-6
    loss = (weight * guess.squeeze(-1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


if __name__ == "__main__":
    model = nn.Linear(3, 1)
    step(model, torch.optim.SGD(model.parameters(), 0.1), torch.randn(5, 3), torch.tensor(1.0))
