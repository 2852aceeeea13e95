import random

import torch
import torch.nn as nn
import torch.nn.functional as F


def square_distance(a, b):
    d = -2 * a @ b.transpose(1, 2)
    d += a.pow(2).sum(-1, keepdim=True)
    d += b.pow(2).sum(-1).unsqueeze(1)
    return d


def farthest_point_sample(xyz, k):
    B, N, _ = xyz.shape
    centroids = torch.zeros(B, k, dtype=torch.long)
    distance = torch.full((B, N), 1e10)
    farthest = torch.randint(0, N, (B,))
    rows = torch.arange(B)
    for i in range(k):
        centroids[:, i] = farthest
        c = xyz[rows, farthest].unsqueeze(1)
        dist = (xyz - c).pow(2).sum(-1)
        closer = dist < distance
        distance[closer] = dist[closer]
        farthest = distance.argmax(-1)
    return centroids


def ball_query(radius, n, xyz, new):
    B, N, _ = xyz.shape
    S = new.size(1)
    idx = torch.arange(N).view(1, 1, N).repeat(B, S, 1)
    idx[square_distance(new, xyz) > radius ** 2] = N
    idx = idx.sort(-1).values[..., :n]
    first = idx[..., :1].expand(-1, -1, n)
    miss = idx == N
    idx[miss] = first[miss]
    return idx.clamp_(max=N - 1)


def gather(points, idx):
    rows = torch.arange(points.size(0)).view(-1, *[1] * (idx.dim() - 1))
    return points[rows, idx]


class SharedMLP(nn.Sequential):
    def __init__(self, *dims):
        mods = []
        for a, b in zip(dims, dims[1:]):
            mods += [nn.Conv2d(a, b, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True)]
        super().__init__(*mods)


class SetAbstraction(nn.Module):
    def __init__(self, k, radius, n, cin, *dims):
        super().__init__()
        self.k, self.radius, self.n = k, radius, n
        self.mlp = SharedMLP(cin + 3, *dims)

    def forward(self, xyz, feat):
        with torch.no_grad():
            new = gather(xyz, farthest_point_sample(xyz, self.k))
            idx = ball_query(self.radius, self.n, xyz, new)
        local = gather(xyz, idx)
        local -= new.unsqueeze(2)
        local /= self.radius
        g = local if feat is None else torch.cat([local, gather(feat, idx)], -1)
        h = self.mlp(g.permute(0, 3, 1, 2))
        return new, h.amax(-1).transpose(1, 2)


class Propagate(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.lin = nn.Linear(cin, cout)

    def forward(self, xyz, src, feat):
        d, idx = square_distance(xyz, src).topk(3, largest=False)
        w = d.clamp_(min=1e-8).reciprocal_()
        w /= w.sum(-1, keepdim=True)
        out = (gather(feat, idx) * w.unsqueeze(-1)).sum(2)
        return F.relu_(self.lin(out))


class SegNet(nn.Module):
    def __init__(self, parts):
        super().__init__()
        self.sa1 = SetAbstraction(8, 0.6, 4, 0, 8, 8)
        self.sa2 = SetAbstraction(4, 1.2, 4, 8, 12)
        self.fp = Propagate(12, 8)
        self.head = nn.Linear(8, parts)

    def forward(self, xyz):
        x1, f1 = self.sa1(xyz, None)
        x2, f2 = self.sa2(x1, f1)
        mid = self.fp(x1, x2, f2)
        mid = mid + f1
        d = square_distance(xyz, x1).argmin(-1)
        return self.head(gather(mid, d))


class Augment:
    def __init__(self, scale=(0.8, 1.2), jitter=0.01):
        self.scale, self.jitter = scale, jitter

    def __call__(self, pc):
        pc = pc - pc.mean(1, keepdim=True)
        pc /= pc.norm(dim=-1).amax(1).view(-1, 1, 1)
        pc *= random.uniform(*self.scale)
        pc += (torch.randn_like(pc) * self.jitter).clamp_(-0.05, 0.05)
        drop = torch.rand(pc.shape[:2]) < 0.1
        drop[:, 0] = False
        pc[drop] = pc[:, :1].expand_as(pc)[drop]
        return pc


def part_iou(pred, y, parts):
    inter, union = torch.zeros(parts), torch.zeros(parts)
    for p in range(parts):
        a, b = pred == p, y == p
        inter[p] += (a & b).sum()
        union[p] += (a | b).sum()
    return (inter / union.clamp_(min=1)).mean().item()


# --- driver ---
torch.manual_seed(0); random.seed(0)
net, aug = SegNet(2), Augment()
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(2):
    pc = torch.randn(2, 20, 3)
    y = (pc[..., 2] > 0).long()
    out = net(aug(pc))
    opt.zero_grad()
    F.cross_entropy(out.transpose(1, 2), y).backward()
    opt.step()
    part_iou(out.argmax(-1), y, 2)
