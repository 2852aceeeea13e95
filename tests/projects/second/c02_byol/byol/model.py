import torch.nn.functional as F
from torch import nn

from .target import TargetNetwork


def regression_loss(p, z):
    p, z = F.normalize(p, dim=-1), F.normalize(z, dim=-1)
    return 2 - 2 * (p * z).sum(-1).mean()


class BYOL(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(d, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, h))
        self.pred = nn.Linear(h, h)
        self.target = TargetNetwork(self.online)

    def forward(self, a, b):
        self.target.update(self.online)
        return regression_loss(self.pred(self.online(a)), self.target(b)) + regression_loss(
            self.pred(self.online(b)), self.target(a)
        )
