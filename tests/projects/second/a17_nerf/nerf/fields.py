import torch
import torch.nn.functional as F
from torch import nn

from .encoding import positional_encoding


class RadianceField(nn.Module):
    def __init__(self, levels=3, width=16):
        super().__init__()
        self.levels = levels
        self.net = nn.Sequential(nn.Linear(3 * (1 + 2 * levels), width), nn.ReLU(inplace=True), nn.Linear(width, 4))

    def forward(self, pts):
        out = self.net(positional_encoding(pts, self.levels))
        return torch.sigmoid(out[..., :3]), F.softplus(out[..., 3])
