from typing import List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvNormAct(nn.Module):
    def __init__(self, c_in, c_out, act: Optional[nn.Module] = None):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1, bias=False)
        self.norm = nn.InstanceNorm2d(c_out, affine=True)
        self.act = act if act is not None else nn.LeakyReLU(0.01, inplace=True)

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class ResidualUnit(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.body = nn.Sequential(ConvNormAct(c_in, c_out), nn.Conv2d(c_out, c_out, 3, padding=1))
        self.skip = nn.Conv2d(c_in, c_out, 1) if c_in != c_out else nn.Identity()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.body(x)
        y += self.skip(x)
        return self.act(y)


class UNet(nn.Module):
    def __init__(self, c_in=1, n_cls=3, widths=(4, 8)):
        super().__init__()
        self.enc = nn.ModuleList()
        c = c_in
        for w in widths:
            self.enc.append(ResidualUnit(c, w))
            c = w
        self.mid = ResidualUnit(c, c * 2)
        self.up, self.dec = nn.ModuleList(), nn.ModuleList()
        c = c * 2
        for w in reversed(widths):
            self.up.append(nn.ConvTranspose2d(c, w, 2, stride=2))
            self.dec.append(ResidualUnit(w, w))
            c = w
        self.head = nn.Conv2d(c, n_cls, 1)

    def forward(self, x):
        skips: List[torch.Tensor] = []
        for e in self.enc:
            x = e(x)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.mid(x)
        for up, dec in zip(self.up, self.dec):
            x = up(x)
            x += skips.pop()
            x = dec(x)
        return self.head(x)


class SoftDiceCE(nn.Module):
    def __init__(self, n_cls, smooth=1.0):
        super().__init__()
        self.n_cls, self.smooth = n_cls, smooth

    def forward(self, logits, target):
        onehot = torch.zeros_like(logits)
        onehot.scatter_(1, target.unsqueeze(1), 1)
        p = logits.softmax(1)
        inter = (p * onehot).sum((0, 2, 3))
        denom = p.sum((0, 2, 3)) + onehot.sum((0, 2, 3))
        denom += self.smooth
        dice = (2 * inter + self.smooth) / denom
        loss = 1 - dice.mean()
        loss += F.cross_entropy(logits, target)
        return loss


class ConfusionMatrix:
    def __init__(self, n):
        self.n, self.mat = n, torch.zeros(n, n, dtype=torch.long)

    @torch.no_grad()
    def update(self, logits, target):
        idx = target.flatten().mul(self.n).add_(logits.argmax(1).flatten())
        self.mat += torch.bincount(idx, minlength=self.n ** 2).view(self.n, self.n)


def intensity_augment(x, gamma=0.1):
    x = x.clone()
    lo, hi = x.amin(), x.amax()
    x.sub_(lo).div_(hi - lo + 1e-6).pow_(1 + gamma)
    return x


# --- driver ---
torch.manual_seed(0)
net, crit, cm = UNet(), SoftDiceCE(3), ConfusionMatrix(3)
opt = torch.optim.Adam(net.parameters())
x, y = intensity_augment(torch.randn(2, 1, 8, 8)), torch.randint(0, 3, (2, 8, 8))
out = net(x)
crit(out, y).backward()
opt.step()
cm.update(out, y)
