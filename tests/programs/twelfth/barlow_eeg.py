"""Barlow Twins on EEG windows."""
import torch, torch.nn as nn


def off_diagonal(m):
    n = m.shape[0]
    return m.flatten()[:-1].view(n - 1, n + 1)[:, 1:].flatten()


class DepthwiseEEG(nn.Module):
    def __init__(self, electrodes=8, filters=6, out=24):
        super().__init__()
        self.temporal = nn.Conv2d(1, filters, (1, 9), padding=(0, 4), bias=False)
        self.spatial = nn.Conv2d(filters, 2 * filters, (electrodes, 1), groups=filters, bias=False)
        self.bn = nn.BatchNorm2d(2 * filters)
        self.pool = nn.AvgPool2d((1, 8))
        self.fc = nn.LazyLinear(out)

    def forward(self, x):
        h = self.bn(self.spatial(self.temporal(x.unsqueeze(1))))
        return self.fc(self.pool(nn.functional.elu_(h)).flatten(1))


class BarlowTwins(nn.Module):
    def __init__(self, backbone, width, lambd=5e-3):
        super().__init__()
        self.backbone = backbone
        self.projector = nn.Sequential(nn.Linear(width, 32, bias=False), nn.BatchNorm1d(32), nn.ReLU(inplace=True), nn.Linear(32, 16, bias=False))
        self.bn = nn.BatchNorm1d(16, affine=False)
        self.lambd = lambd

    def forward(self, y1, y2):
        z1 = self.projector(self.backbone(y1))
        z2 = self.projector(self.backbone(y2))
        c = self.bn(z1).T @ self.bn(z2)
        c.div_(len(y1))
        on = torch.diagonal(c).add_(-1).pow_(2).sum()
        off = off_diagonal(c).pow_(2).sum()
        return on + self.lambd * off


class Jitter:
    def __init__(self, *ops):
        self.ops = ops

    def __call__(self, x):
        x = x.clone()
        for op in self.ops:
            op(x)
        return x


def drop_electrodes(p):
    def op(x):
        x[torch.rand(x.shape[:2]) < p] = 0
    return op


def scale(lo, hi):
    def op(x):
        x.mul_(torch.empty(len(x), x.shape[1], 1).uniform_(lo, hi))
    return op


def time_mask(width):
    def op(x):
        at = int(torch.randint(0, x.shape[-1] - width, ()))
        x[..., at : at + width] = x[..., at : at + 1]
    return op


def lars_like_scale(params, trust=1e-2):
    with torch.no_grad():
        for p in params:
            if p.dim() > 1:
                p.grad.mul_(trust * p.norm() / (p.grad.norm() + 1e-8))


# --- driver ---
torch.manual_seed(52)
aug = Jitter(drop_electrodes(0.2), scale(0.8, 1.2), time_mask(6))
model = BarlowTwins(DepthwiseEEG(), 24)
x = torch.randn(12, 8, 48)
model(aug(x), aug(x))
opt = torch.optim.SGD(model.parameters(), 0.2, momentum=0.9)
for _ in range(4):
    loss = model(aug(x), aug(x))
    opt.zero_grad()
    loss.backward()
    lars_like_scale(model.parameters())
    opt.step()
    print(loss.item())
