import torch.nn as nn


def backbone(ch=8):
    layers, ci = [], 3
    for co in (ch, ch):
        layers += [nn.Conv2d(ci, co, 3, 2, 1), nn.GroupNorm(2, co), nn.SiLU(inplace=True)]
        ci = co
    return nn.Sequential(*layers)
