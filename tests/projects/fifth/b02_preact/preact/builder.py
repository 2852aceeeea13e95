import torch.nn as nn


def build_norm(cfg, channels):
    cfg = dict(cfg or {"type": "BN"})
    kind = cfg.pop("type")
    if kind == "BN":
        return nn.BatchNorm2d(channels, **cfg)
    if kind == "GN":
        return nn.GroupNorm(cfg.pop("groups", 4), channels, **cfg)
    if kind == "none":
        return nn.Identity()
    raise KeyError(kind)


def conv3x3(in_planes, planes, stride=1):
    return nn.Conv2d(in_planes, planes, 3, stride, 1, bias=False)


def conv1x1(in_planes, planes, stride=1):
    return nn.Conv2d(in_planes, planes, 1, stride, bias=False)
