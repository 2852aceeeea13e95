import torch
import torch.nn.functional as F
from torch import nn

from .specnorm import SNConv2d, SNLinear


class DBlock(nn.Module):
    def __init__(self, cin, cout, down=True, preact=True):
        super().__init__()
        self.conv1 = SNConv2d(cin, cout, 3, padding=1)
        self.conv2 = SNConv2d(cout, cout, 3, padding=1)
        self.skip = SNConv2d(cin, cout, 1) if (cin != cout or down) else None
        self.down, self.preact = down, preact

    def forward(self, x):
        h = F.relu(x) if self.preact else x
        h = self.conv2(F.relu_(self.conv1(h)))
        s = x if self.skip is None else self.skip(x)
        if self.down:
            h, s = F.avg_pool2d(h, 2), F.avg_pool2d(s, 2)
        h += s
        return h


class ProjectionDiscriminator(nn.Module):
    """SNGAN projection discriminator: ``forward(img, label) -> (N, 1)``."""

    def __init__(self, n_classes=4, ch=4):
        super().__init__()
        self.blocks = nn.Sequential(DBlock(3, ch, preact=False), DBlock(ch, ch * 2), DBlock(ch * 2, ch * 2, down=False))
        self.lin = SNLinear(ch * 2, 1)
        self.embed = nn.Embedding(n_classes, ch * 2)

    def forward(self, img, label):
        h = F.relu_(self.blocks(img)).sum((2, 3))
        out = self.lin(h)
        out += (self.embed(label) * h).sum(1, keepdim=True)
        return out


class HingeGANLoss(nn.Module):
    """``d_loss(netD, real, fake, y)`` and ``g_loss(netD, fake, y)``."""

    def d_loss(self, net, real, fake, y):
        pr = net(real, y)
        pf = net(fake.detach(), y)
        return F.relu(1.0 - pr).mean() + F.relu(1.0 + pf).mean()

    def g_loss(self, net, fake, y):
        return net(fake, y).mean().neg_()
