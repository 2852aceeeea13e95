"""What a small network computes is put into the layers of a model, whose backward is that network's as well."""

import torch
import torch.nn.functional as F
from torch import nn


class Masked(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.mask = None

    def forward(self, x):
        return self.linear(x if self.mask is None else x * self.mask)


def put_into(model, mask):
    for layer in model.modules():
        if isinstance(layer, Masked):
            if layer.mask is False:
                continue
            layer.mask = mask


class Explainer:
    def __init__(self, size):
        self.small = nn.Sequential(nn.Linear(size, size), nn.ReLU(), nn.Linear(size, size))
        self.optimizer = torch.optim.Adam(self.small.parameters())

    def train(self, model, x, y):
        self.optimizer.zero_grad()
        put_into(model, torch.sigmoid(self.small(x)))
        loss = F.mse_loss(model(x), y)
        loss.backward()
        self.optimizer.step()
        return float(loss)


if __name__ == "__main__":
    model = nn.Sequential(Masked(3), nn.Tanh(), nn.Linear(3, 1))
    explainer = Explainer(3)
    for _ in range(2):
        explainer.train(model, torch.randn(4, 3), torch.randn(4, 1))
