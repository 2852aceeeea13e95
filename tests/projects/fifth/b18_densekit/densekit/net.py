import torch
import torch.nn as nn
import torch.nn.functional as F

from .blocks import BLOCK_TYPES, Transition


class DenseNet(nn.Module):
    r"""DenseNet-BC

    Args:
        growth (int): filters each layer adds
        config (tuple): layers in each block
        block_type (str): ``'cat'`` or ``'shared'`` (buffer based)
    """

    def __init__(self, growth=4, config=(2, 2), init_features=8, num_classes=5, block_type="shared"):
        super(DenseNet, self).__init__()
        make = BLOCK_TYPES[block_type]
        self.stem = nn.Conv2d(3, init_features, 3, padding=1, bias=False)
        mods, ch = [], init_features
        for i, n in enumerate(config):
            b = make(n, ch, growth)
            mods.append(b)
            ch = b.out_ch
            if i != len(config) - 1:
                mods.append(Transition(ch, ch // 2))
                ch //= 2
        self.features = nn.Sequential(*mods)
        self.norm = nn.BatchNorm2d(ch)
        self.classifier = nn.Linear(ch, num_classes)
        self._init()

    def _init(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight)
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.constant_(m.weight, 1)
                nn.init.constant_(m.bias, 0)
            elif isinstance(m, nn.Linear):
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.features(self.stem(x))
        x = F.relu(self.norm(x), inplace=True)
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.classifier(x)
