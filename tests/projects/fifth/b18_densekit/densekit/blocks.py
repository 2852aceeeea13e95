"""DenseNet pieces."""
import torch
import torch.nn as nn


class DenseLayer(nn.Sequential):
    def __init__(self, in_ch, growth, bn_size):
        super(DenseLayer, self).__init__()
        self.add_module("norm1", nn.BatchNorm2d(in_ch))
        self.add_module("relu1", nn.ReLU(inplace=True))
        self.add_module("conv1", nn.Conv2d(in_ch, bn_size * growth, 1, bias=False))
        self.add_module("norm2", nn.BatchNorm2d(bn_size * growth))
        self.add_module("relu2", nn.ReLU(inplace=True))
        self.add_module("conv2", nn.Conv2d(bn_size * growth, growth, 3, padding=1, bias=False))


class DenseBlockBase(nn.ModuleList):
    def __init__(self, n, in_ch, growth, bn_size=2):
        super(DenseBlockBase, self).__init__(
            [DenseLayer(in_ch + i * growth, growth, bn_size) for i in range(n)]
        )
        self.in_ch, self.growth = in_ch, growth
        self.out_ch = in_ch + n * growth


class CatDenseBlock(DenseBlockBase):
    def forward(self, x):
        feats = [x]
        for layer in self:
            feats.append(layer(torch.cat(feats, 1)))
        return torch.cat(feats, 1)


class SharedDenseBlock(DenseBlockBase):
    """Writes all features in one buffer, so that nothing is concatenated again."""

    def forward(self, x):
        n, _, h, w = x.shape
        buf = x.new_empty(n, self.out_ch, h, w)
        buf[:, : self.in_ch] = x
        pos = self.in_ch
        for layer in self:
            out = layer(buf[:, :pos])
            buf[:, pos : pos + self.growth] = out  # BUG
            pos += self.growth
        return buf


class Transition(nn.Sequential):
    def __init__(self, in_ch, out_ch):
        super(Transition, self).__init__(
            nn.BatchNorm2d(in_ch), nn.ReLU(inplace=True), nn.Conv2d(in_ch, out_ch, 1, bias=False), nn.AvgPool2d(2)
        )


BLOCK_TYPES = {"cat": CatDenseBlock, "shared": SharedDenseBlock}
