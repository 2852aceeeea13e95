import torch
import torch.nn as nn

from .layers import ConvNormAct, SqueezeExcite
from .registry import register_model


class EdgeResidual(nn.Module):
    """Fused expand (3x3) followed by a point-wise projection.

    ``proj_act`` keeps the activation on the projection, as in the v1 recipe.
    """

    def __init__(self, in_chs, out_chs, stride=1, exp_ratio=2, se=False, act="relu", proj_act=False):
        super().__init__()
        mid = in_chs * exp_ratio
        self.has_skip = stride == 1 and in_chs == out_chs
        self.conv_exp = ConvNormAct(in_chs, mid, 3, stride, act=act)
        self.se = SqueezeExcite(mid, act=act) if se else nn.Identity()
        self.conv_pwl = ConvNormAct(mid, out_chs, 1, act=act, apply_act=proj_act)

    def forward(self, x):
        shortcut = x
        x = self.conv_exp(x)
        x = self.se(x)
        x = self.conv_pwl(x)
        if self.has_skip:
            x += shortcut  # BUG
        return x


class EdgeNet(nn.Module):
    def __init__(self, cfg, num_classes=10, in_chans=3, stem=8, **block_kwargs):
        super().__init__()
        self.stem = ConvNormAct(in_chans, stem, 3, 2)
        blocks, chs = [], stem
        for out, n, s, se in cfg:
            for i in range(n):
                blocks.append(EdgeResidual(chs, out, s if i == 0 else 1, se=se, **block_kwargs))
                chs = out
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(chs, num_classes)

    def forward_features(self, x):
        return self.blocks(self.stem(x))

    def forward(self, x):
        x = self.forward_features(x).mean((2, 3))
        return self.head(x)


@register_model
def edgenet_nano(**kwargs):
    """EdgeNet nano, linear projections."""
    return EdgeNet([(8, 1, 1, False), (16, 2, 2, True)], **kwargs)


@register_model
def edgenet_nano_v1(**kwargs):
    """The v1 recipe: activation after each projection."""
    kwargs.setdefault("proj_act", True)
    return EdgeNet([(8, 1, 1, False), (16, 2, 2, True)], **kwargs)
