import torch
import torch.nn as nn


class FrameNet(nn.Module):
    def __init__(self, d_in, feat, classes):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Linear(d_in, feat), nn.ReLU(inplace=True), nn.Linear(feat, feat), nn.LayerNorm(feat))
        self.head = nn.Linear(feat, classes)

    def part(self, name):
        return getattr(self, name).parameters()
