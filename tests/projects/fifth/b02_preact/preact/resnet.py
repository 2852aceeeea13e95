# Pre-activation ResNet (He et al. 2016b), CIFAR sized.
import torch
import torch.nn as nn

from .builder import build_norm, conv1x1, conv3x3


class PreActBlock(nn.Module):
    expansion = 1

    def __init__(self, in_planes, planes, stride=1, norm_cfg=None):
        super(PreActBlock, self).__init__()
        self.norm1 = build_norm(norm_cfg, in_planes)
        self.conv1 = conv3x3(in_planes, planes, stride)
        self.norm2 = build_norm(norm_cfg, planes)
        self.conv2 = conv3x3(planes, planes)
        self.relu = nn.ReLU(inplace=True)
        if stride != 1 or in_planes != planes * self.expansion:
            self.shortcut = conv1x1(in_planes, planes * self.expansion, stride)
        else:
            self.shortcut = None

    def forward(self, x):
        pre = self.norm1(x)
        if self.shortcut is not None:
            residual = self.shortcut(pre)
        else:
            residual = x
        out = self.conv1(self.relu(pre))  # BUG
        out = self.conv2(self.relu(self.norm2(out)))
        out += residual
        return out


class PreActBottleneck(PreActBlock):
    expansion = 2

    def __init__(self, in_planes, planes, stride=1, norm_cfg=None):
        super(PreActBottleneck, self).__init__(in_planes, planes, stride, norm_cfg)
        self.conv1 = conv1x1(in_planes, planes)
        self.conv2 = conv3x3(planes, planes, stride)
        self.norm3 = build_norm(norm_cfg, planes)
        self.conv3 = conv1x1(planes, planes * self.expansion)

    def forward(self, x):
        out = self.relu(self.norm1(x))
        residual = x if self.shortcut is None else self.shortcut(out)
        out = self.conv1(out)
        out = self.conv2(self.relu(self.norm2(out)))
        out = self.conv3(self.relu(self.norm3(out)))
        out += residual
        return out


BLOCKS = {"basic": PreActBlock, "bottleneck": PreActBottleneck}


class PreActResNet(nn.Module):
    """``PreActResNet(depths, block='basic' | 'bottleneck')``; returns logits."""

    def __init__(self, depths=(1, 1), width=8, block="basic", num_classes=10, norm_cfg=None):
        super(PreActResNet, self).__init__()
        block = BLOCKS[block]
        self.in_planes = width
        self.conv1 = conv3x3(3, width)
        layers = []
        for i, d in enumerate(depths):
            layers.append(self._make_layer(block, width * 2 ** i, d, 1 if i == 0 else 2, norm_cfg))
        self.layers = nn.ModuleList(layers)
        self.norm = build_norm(norm_cfg, self.in_planes)
        self.fc = nn.Linear(self.in_planes, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                m.weight.data.fill_(1)
                m.bias.data.zero_()

    def _make_layer(self, block, planes, n, stride, norm_cfg):
        seq = []
        for s in [stride] + [1] * (n - 1):
            seq.append(block(self.in_planes, planes, s, norm_cfg))
            self.in_planes = planes * block.expansion
        return nn.Sequential(*seq)

    def forward(self, x):
        x = self.conv1(x)
        for layer in self.layers:
            x = layer(x)
        x = torch.relu_(self.norm(x))
        x = x.flatten(2).mean(-1)
        return self.fc(x)
