"""The layers of a model are held to a norm between its forward and its backward."""

import torch
from torch import nn


def hold(model, limit):
    with torch.no_grad():
        for layer in model.modules():
            if isinstance(layer, nn.Linear):
                layer.weight.renorm_(2, 0, limit)


def train(model, batches, optimizer, limit=0.5):
    for x, y in batches:
        loss = nn.functional.cross_entropy(model(x), y)
        hold(model, limit)  # expect: IPL102
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
    train(model, [(torch.randn(2, 3), torch.tensor([0, 1]))], torch.optim.SGD(model.parameters(), 0.1))
