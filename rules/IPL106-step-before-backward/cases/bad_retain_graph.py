"""`retain_graph=True` keeps the graph, but the step has changed what it saved."""

import torch
from torch import nn


def fit(model, optimizer, x, y):
    loss = (model(x) - y).square().mean()
    for _ in range(2):
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()  # expect: IPL106


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 1))
    fit(model, torch.optim.SGD(model.parameters(), lr=0.1), torch.randn(4, 3), torch.randn(4, 1))
