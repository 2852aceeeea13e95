import torch
import torch.nn as nn


def double_conv(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, n_channels=1, n_classes=3, base=4):
        super().__init__()
        self.inc = double_conv(n_channels, base)
        self.down = double_conv(base, 2 * base)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(2 * base, base, 2, stride=2)
        self.dec = double_conv(2 * base, base)
        self.outc = nn.Conv2d(base, n_classes, 1)

    def forward(self, x):
        x1 = self.inc(x)
        x2 = self.down(self.pool(x1))
        x = self.dec(torch.cat([self.up(x2), x1], dim=1))
        return torch.sigmoid(self.outc(x))
