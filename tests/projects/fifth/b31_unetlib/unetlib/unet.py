import torch
import torch.nn as nn
import torch.nn.functional as F

from .blocks import Down, SideHead, Up


class UNet(nn.Module):
    """U-Net with add skips.

    :param chans: channels of each level
    :param norm: 'batch' | 'instance' | 'none'
    :param deep_supervision: also return the logits of every decoder level, finest first
    """

    def __init__(self, in_ch=1, out_ch=2, chans=(4, 8, 8), norm="instance", deep_supervision=False):
        super().__init__()
        self.downs = nn.ModuleList()
        c = in_ch
        for i, ch in enumerate(chans):
            self.downs.append(Down(c, ch, norm, first=i == 0))
            c = ch
        self.ups = nn.ModuleList()
        for ch in reversed(chans[:-1]):
            self.ups.append(Up(c, ch, norm))
            c = ch
        self.last = Up(c, c, norm)
        self.head = SideHead(c, out_ch)
        self.deep = deep_supervision
        if deep_supervision:
            self.side = nn.ModuleList(SideHead(ch, out_ch) for ch in reversed(chans[:-1]))

    def encode(self, x):
        feats = []
        for d in self.downs:
            x = d(x)
            feats.append(x)
        return feats

    def decode(self, feats):
        x = feats.pop()
        sides = []
        for i, up in enumerate(self.ups):
            x = up(x)
            x += feats.pop()
            if self.deep:
                sides.append(self.side[i](x))
        return self.last(x), sides

    def forward(self, x):
        y, sides = self.decode(self.encode(x))
        out = self.head(y)
        if not self.deep:
            return out
        return [out] + sides[::-1]


class DeepSupervisionLoss(nn.Module):
    def __init__(self, decay=0.5):
        super().__init__()
        self.decay = decay

    def forward(self, outs, target):
        if torch.is_tensor(outs):
            outs = [outs]
        loss, w = 0.0, 1.0
        for o in outs:
            t = F.interpolate(target[:, None].float(), size=o.shape[-2:], mode="nearest")[:, 0].long()
            loss = loss + w * F.cross_entropy(o, t)
            w *= self.decay
        return loss
