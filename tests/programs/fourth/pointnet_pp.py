import torch
import torch.nn as nn
import torch.nn.functional as F


def farthest_points(xyz, k):
    b, n, _ = xyz.shape
    chosen = torch.zeros(b, k, dtype=torch.long)
    dist = torch.full((b, n), float("inf"))
    current = torch.randint(0, n, (b,))
    rows = torch.arange(b)
    for i in range(k):
        chosen[:, i] = current
        d = (xyz - xyz[rows, current].unsqueeze(1)).square().sum(-1)
        torch.minimum(dist, d, out=dist)
        current = dist.argmax(1)
    return chosen


def ball_query(radius, k, xyz, centers):
    d = torch.cdist(centers, xyz)
    idx = torch.arange(xyz.shape[1]).expand_as(d).clone()
    idx[d > radius] = xyz.shape[1]
    idx = idx.sort(-1).values[..., :k]
    first = idx[..., :1].expand_as(idx).clone()
    first[first == xyz.shape[1]] = 0
    pad = idx == xyz.shape[1]
    idx[pad] = first[pad]
    return idx


def gather(x, idx):
    rows = torch.arange(x.shape[0]).view(-1, *[1] * (idx.dim() - 1))
    return x[rows, idx]


class SetAbstraction(nn.Module):
    def __init__(self, k, radius, n_near, cin, cout):
        super().__init__()
        self.k, self.radius, self.n_near = k, radius, n_near
        self.lin1, self.bn1 = nn.Linear(cin + 3, cout), nn.BatchNorm1d(cout)
        self.lin2, self.bn2 = nn.Linear(cout, cout), nn.BatchNorm1d(cout)

    @staticmethod
    def _unit(lin, bn, x):
        h = lin(x)
        return F.relu_(bn(h.flatten(0, -2)).view_as(h))

    def forward(self, xyz, feat):
        with torch.no_grad():
            centers = gather(xyz, farthest_points(xyz, self.k))
            group = ball_query(self.radius, self.n_near, xyz, centers)
        local = gather(xyz, group)
        local -= centers.unsqueeze(2)
        local /= self.radius
        h = local if feat is None else torch.cat([local, gather(feat, group)], -1)
        h = self._unit(self.lin2, self.bn2, self._unit(self.lin1, self.bn1, h))
        return centers, h.amax(2)


class PointNetPP(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.sa1 = SetAbstraction(8, 0.4, 4, 0, 8)
        self.sa2 = SetAbstraction(4, 0.8, 4, 8, 16)
        self.head = nn.Sequential(nn.Linear(16, 16), nn.ReLU(True), nn.Dropout(0.3), nn.Linear(16, classes))

    def forward(self, xyz):
        xyz, f = self.sa1(xyz, None)
        xyz, f = self.sa2(xyz, f)
        return self.head(f.amax(1))


class Augment:
    def __init__(self, jitter=0.01, scale=(0.8, 1.2)):
        self.jitter, self.scale = jitter, scale

    def __call__(self, xyz):
        xyz -= xyz.mean(1, keepdim=True)
        xyz /= xyz.norm(dim=-1).amax(1)[:, None, None]
        xyz *= torch.empty(len(xyz), 1, 1).uniform_(*self.scale)
        xyz += torch.randn_like(xyz).mul_(self.jitter).clamp_(-0.05, 0.05)
        drop = torch.rand(xyz.shape[:2]) < 0.1
        xyz[drop] = xyz[:, :1].expand_as(xyz)[drop]
        return xyz


def train(net, loader, lr=1e-3):
    opt, aug = torch.optim.Adam(net.parameters(), lr=lr), Augment()
    for xyz, label in loader:
        loss = F.cross_entropy(net(aug(xyz)), label, label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(PointNetPP(), [(torch.randn(3, 24, 3), torch.randint(0, 4, (3,))) for _ in range(2)])
