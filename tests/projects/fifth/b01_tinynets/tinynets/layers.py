import torch.nn as nn

from .registry import get_act


class ConvNormAct(nn.Sequential):
    """conv -> norm -> act, the usual triple. ``apply_act=False`` leaves out the last."""

    def __init__(self, in_chs, out_chs, kernel_size=3, stride=1, groups=1,
                 act="relu", apply_act=True, norm_layer=nn.BatchNorm2d):
        mods = [
            nn.Conv2d(in_chs, out_chs, kernel_size, stride,
                      padding=kernel_size // 2, groups=groups, bias=False),
            norm_layer(out_chs),
        ]
        if apply_act:
            mods.append(get_act(act))
        super().__init__(*mods)


class SqueezeExcite(nn.Module):
    def __init__(self, chs, rd_ratio=0.25, act="relu"):
        super().__init__()
        rd = max(1, int(chs * rd_ratio))
        self.fc1 = nn.Conv2d(chs, rd, 1)
        self.act = get_act(act)
        self.fc2 = nn.Conv2d(rd, chs, 1)

    def forward(self, x):
        s = x.mean((2, 3), keepdim=True)
        s = self.fc2(self.act(self.fc1(s)))
        return x * s.sigmoid_()
