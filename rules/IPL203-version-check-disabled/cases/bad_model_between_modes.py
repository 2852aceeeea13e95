"""A whole model is evaluated, then trained, before one backward: the statistics inside it move in between."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin, self.norm, self.out = nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=0.9), nn.Linear(4, 2)

    def forward(self, x):
        return self.out(torch.tanh(self.norm(self.lin(x))))


def consistency(model, x):
    model.eval()
    fixed = model(x)
    model.train()
    moving = model(x * 5 + 1)  # expect: IPL203
    loss = F.mse_loss(moving, fixed)
    loss.backward()


consistency(Net(), torch.randn(8, 3))
