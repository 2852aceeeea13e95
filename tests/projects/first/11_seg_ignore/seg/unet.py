import torch
import torch.nn as nn


class Block(nn.Sequential):
    def __init__(self, ci, co):
        super().__init__(
            nn.Conv2d(ci, co, 3, padding=1), nn.BatchNorm2d(co), nn.ReLU(inplace=True))


class UNet(nn.Module):
    def __init__(self, classes, width=8, activation="softmax"):
        super().__init__()
        self.d1 = Block(1, width)
        self.d2 = Block(width, width * 2)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2)
        self.u1 = Block(width * 3, width)
        self.out = nn.Conv2d(width, classes, 1)
        self.activation = activation

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(self.pool(a))
        y = self.out(self.u1(torch.cat([a, self.up(b)], 1)))
        if self.activation == "softmax":
            return torch.softmax(y, dim=1)
        return torch.sigmoid(y)
