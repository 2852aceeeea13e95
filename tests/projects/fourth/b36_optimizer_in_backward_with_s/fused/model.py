import torch
import torch.nn as nn


class TwoHeadNet(nn.Module):
    def __init__(self, d_in, width):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d_in, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.Tanh())
        self.value = nn.Linear(width, 1)
        self.sign = nn.Linear(width, 1)

    def forward(self, x):
        h = self.trunk(x)
        return {"value": self.value(h).squeeze(1), "sign": self.sign(h).squeeze(1)}
