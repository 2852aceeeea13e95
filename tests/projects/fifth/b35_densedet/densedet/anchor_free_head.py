import torch
import torch.nn as nn


class Scale(nn.Module):
    def __init__(self, value=1.0):
        super(Scale, self).__init__()
        self.scale = nn.Parameter(torch.tensor(value))

    def forward(self, x):
        return x * self.scale


def multi_apply(func, *args, **kwargs):
    results = [func(*a, **kwargs) for a in zip(*args)]
    return tuple(map(list, zip(*results)))


class AnchorFreeHead(nn.Module):
    """Towers and predictors common to the anchor-free heads."""

    def __init__(self, num_classes, in_channels, feat_channels=8, stacked_convs=1, strides=(4, 8), norm=True):
        super(AnchorFreeHead, self).__init__()
        self.num_classes, self.strides = num_classes, strides
        self.cls_convs = self._tower(in_channels, feat_channels, stacked_convs, norm)
        self.reg_convs = self._tower(in_channels, feat_channels, stacked_convs, norm)
        self.conv_cls = nn.Conv2d(feat_channels, num_classes, 3, padding=1)
        self.conv_reg = nn.Conv2d(feat_channels, 4, 3, padding=1)
        self.init_weights()

    @staticmethod
    def _tower(cin, ch, n, norm):
        mods = []
        for i in range(n):
            mods.append(nn.Conv2d(cin if i == 0 else ch, ch, 3, padding=1, bias=not norm))
            if norm:
                mods.append(nn.GroupNorm(2, ch))
            mods.append(nn.ReLU(inplace=True))
        return nn.Sequential(*mods)

    def init_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.normal_(m.weight, std=0.01)
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
        self.conv_cls.bias.data.fill_(-2.0)

    def forward_single(self, x):
        cls_feat, reg_feat = self.cls_convs(x), self.reg_convs(x)
        return self.conv_cls(cls_feat), self.conv_reg(reg_feat), cls_feat, reg_feat

    def to_distance(self, reg, stride):
        """Brings raw distances to pixels."""
        reg *= stride  # BUG
        return reg

    def points(self, h, w, stride):
        y, x = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        p = torch.stack([x, y], -1).float().reshape(-1, 2)
        return p.add_(0.5).mul_(stride)
