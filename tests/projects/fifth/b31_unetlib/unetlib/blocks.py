import torch
import torch.nn as nn


def norm_layer(kind, ch):
    if kind == "batch":
        return nn.BatchNorm2d(ch)
    elif kind == "instance":
        return nn.InstanceNorm2d(ch, affine=True)
    return nn.Identity()


class Down(nn.Sequential):
    """Pre-activation down-sampling, as in pix2pix (first=True leaves out the activation)."""

    def __init__(self, cin, cout, norm, first=False):
        mods = [] if first else [nn.LeakyReLU(0.2)]
        mods += [nn.Conv2d(cin, cout, 4, 2, 1), norm_layer(norm, cout)]
        super().__init__(*mods)


class Up(nn.Sequential):
    def __init__(self, cin, cout, norm):
        super().__init__(
            nn.ReLU(inplace=True),  # BUG
            nn.Upsample(scale_factor=2, mode="nearest"),
            nn.Conv2d(cin, cout, 3, padding=1),
            norm_layer(norm, cout),
        )


class SideHead(nn.Conv2d):
    def __init__(self, cin, cout):
        super().__init__(cin, cout, 1)
        nn.init.normal_(self.weight, std=0.02)
        self.bias.data.zero_()
