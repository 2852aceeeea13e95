import torch
from torch import nn


class StatsPool(nn.Module):
    def forward(self, x):
        mu = x.mean(-1)
        var = (x - mu.unsqueeze(-1)).pow_(2).mean(-1)
        return torch.cat([mu, var.add_(1e-5).sqrt()], 1)


class AttentivePool(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.att = nn.Sequential(nn.Conv1d(c, 8, 1), nn.ReLU(inplace=True), nn.Conv1d(8, c, 1))

    def forward(self, x, mask):
        s = self.att(x)
        s.masked_fill_(~mask.unsqueeze(1), float("-inf"))
        w = s.softmax(-1)
        mu = (w * x).sum(-1)
        return torch.cat([mu, ((w * x * x).sum(-1) - mu * mu).clamp_(min=1e-4).sqrt_()], 1)
