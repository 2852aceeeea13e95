import torch
from torch import nn


def inverse_sigmoid(x, eps=1e-3):
    x = x.clamp(min=0, max=1)
    return torch.log(x.clamp(min=eps) / (1 - x).clamp(min=eps))


class BoxHead(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ref = nn.Linear(d, 2)
        self.mlp = nn.Sequential(nn.Linear(d, d), nn.ReLU(inplace=True), nn.Linear(d, 4))

    def forward(self, h):
        ref = inverse_sigmoid(self.ref(h).sigmoid())
        tmp = self.mlp(h)
        tmp[..., :2] += ref
        return tmp.sigmoid()
