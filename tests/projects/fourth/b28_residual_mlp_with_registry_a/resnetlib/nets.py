import torch
import torch.nn as nn

from .builder import build_from_cfg, register_module
from .layers import Residual


class DenseBlock(Residual):
    def __init__(self, width, norm, act, drop_path):
        super().__init__(drop_path)
        self.norm = build_from_cfg(norm, width=width)
        self.fc = nn.Linear(width, width)
        self.act = build_from_cfg(act)

    def branch(self, x):
        return self.act(self.fc(self.norm(x)))


@register_module
class ResMLP(nn.Module):
    def __init__(self, width, depth, out, norm, act, drop_path=0.0):
        super().__init__()
        self.stem = nn.Linear(4, width)
        self.blocks = nn.Sequential(*[DenseBlock(width, norm, act, drop_path * i / depth) for i in range(depth)])
        self.head = nn.Linear(width, out)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))
