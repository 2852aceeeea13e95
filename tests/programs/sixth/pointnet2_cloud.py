import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def farthest_point_sample(xyz, m):
    b, n, _ = xyz.shape
    idx = torch.zeros(b, m, dtype=torch.long)
    dist = torch.full((b, n), 1e10)
    far = torch.randint(0, n, (b,))
    rows = torch.arange(b)
    for i in range(m):
        idx[:, i] = far
        d = (xyz - xyz[rows, far].unsqueeze(1)).square().sum(-1)
        closer = d < dist
        dist[closer] = d[closer]
        far = dist.argmax(-1)
    return idx


def ball_query(radius, k, xyz, centers):
    n = xyz.shape[1]
    d = torch.cdist(centers, xyz)
    group = torch.arange(n).expand(d.shape).clone()
    group[d > radius] = n
    group = group.sort(-1).values[..., :k]
    first = group[..., :1].expand_as(group)
    hole = group == n
    group[hole] = first[hole]
    return group


def gather(x, idx):
    b = torch.arange(x.shape[0]).view(-1, *[1] * (idx.dim() - 1))
    return x[b, idx]


class Rotate:
    def __call__(self, pts):
        a = float(torch.rand(())) * 2 * math.pi
        out = pts.clone()
        out[..., 0] = pts[..., 0] * math.cos(a) - pts[..., 1] * math.sin(a)
        out[..., 1] = pts[..., 0] * math.sin(a) + pts[..., 1] * math.cos(a)
        return out


class Jitter:
    def __init__(self, sigma=0.01, clip=0.05):
        self.sigma, self.clip = sigma, clip

    def __call__(self, pts):
        return torch.randn_like(pts).mul_(self.sigma).clamp_(-self.clip, self.clip).add_(pts)


def unit_sphere(pts):
    pts = pts - pts.mean(1, keepdim=True)
    pts /= pts.norm(dim=-1, keepdim=True).amax(1, keepdim=True)
    return pts


class SetAbstraction(nn.Module):
    def __init__(self, m, radius, k, c_in, widths):
        super().__init__()
        self.m, self.radius, self.k = m, radius, k
        mods, c = [], c_in + 3
        for w in widths:
            mods += [nn.Conv2d(c, w, 1), nn.BatchNorm2d(w), nn.ReLU(inplace=True)]
            c = w
        self.mlp = nn.Sequential(*mods)

    def forward(self, xyz, feat):
        with torch.no_grad():
            centers = gather(xyz, farthest_point_sample(xyz, self.m))
            group = ball_query(self.radius, self.k, xyz, centers)
            local = gather(xyz, group)
            local -= centers.unsqueeze(2)
            local /= self.radius
        if feat is not None:
            local = torch.cat([local, gather(feat, group)], -1)
        return centers, self.mlp(local.permute(0, 3, 1, 2)).amax(-1).transpose(1, 2)


class PointNet2(nn.Module):
    def __init__(self, n_cls):
        super().__init__()
        self.sa1 = SetAbstraction(8, 0.5, 4, 0, (6, 8))
        self.sa2 = SetAbstraction(4, 1.0, 4, 8, (8, 12))
        self.fc1, self.fc2 = nn.Linear(12, 12), nn.Linear(12, n_cls)
        self.bn = nn.BatchNorm1d(12)

    def forward(self, xyz):
        c, f = self.sa1(xyz, None)
        _, f = self.sa2(c, f)
        g = f.amax(1)
        h = self.bn(self.fc1(g))
        h += g
        return self.fc2(F.dropout(F.relu_(h), 0.3, self.training))


def bn_momentum(model, value):
    for m in model.modules():
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            m.momentum = value


# --- driver ---
torch.manual_seed(0)
model, aug = PointNet2(4), (Rotate(), Jitter(), unit_sphere)
opt, x, y = torch.optim.Adam(model.parameters()), torch.randn(3, 20, 3), torch.tensor([0, 1, 3])
bn_momentum(model, 0.5)
for fn in aug:
    x = fn(x)
F.cross_entropy(model(x), y).backward()
opt.step()
