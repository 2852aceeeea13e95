import torch
from torch import nn

from .registry import Registry

HEADS = Registry("heads")


def build_head(cfg):
    return HEADS.build(cfg)


class BaseHead(nn.Module):
    def __init__(self, in_channels, num_anchors):
        super().__init__()
        self.reg = nn.Conv2d(in_channels, 4 * num_anchors, 1)

    def decode(self, delta, grid):
        raise NotImplementedError

    def forward(self, feat):
        n, _, h, w = feat.shape
        delta = self.reg(feat).view(n, -1, 4, h, w).permute(0, 1, 3, 4, 2)
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        grid = torch.stack([xs, ys], dim=-1).float()
        return self.decode(delta, grid)


@HEADS.register("yolo")
class YoloHead(BaseHead):
    def decode(self, delta, grid):
        xy = delta[..., :2].sigmoid()
        wh = delta[..., 2:].exp()
        xy += grid  # BUG
        return torch.cat([xy, wh], dim=-1).flatten(1, 3)


@HEADS.register("plain")
class PlainHead(BaseHead):
    def decode(self, delta, grid):
        return delta.flatten(1, 3)
