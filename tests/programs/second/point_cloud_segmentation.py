"""PointNet++-flavoured segmentation with grouped neighbourhoods."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def normalise_cloud_(xyz):
    xyz -= xyz.mean(dim=1, keepdim=True)
    xyz /= xyz.norm(dim=-1).amax(dim=1)[:, None, None]
    return xyz


def random_rotate(xyz):
    theta = torch.rand(xyz.size(0)) * 6.2832
    rot = torch.zeros(xyz.size(0), 3, 3)
    rot[:, 0, 0] = rot[:, 1, 1] = theta.cos()
    rot[:, 0, 1] = -theta.sin()
    rot[:, 1, 0] = theta.sin()
    rot[:, 2, 2] = 1.0
    return xyz @ rot


def farthest_point_sample(xyz, n):
    b, m, _ = xyz.shape
    idx = torch.zeros(b, n, dtype=torch.long)
    dist = torch.full((b, m), 1e10)
    far = torch.zeros(b, dtype=torch.long)
    rows = torch.arange(b)
    for i in range(n):
        idx[:, i] = far
        d = (xyz - xyz[rows, far][:, None]).pow(2).sum(-1)
        dist = torch.minimum(dist, d)
        far = dist.argmax(-1)
    return idx


def gather(x, idx):
    b = torch.arange(x.size(0)).view(-1, *([1] * (idx.dim() - 1)))
    return x[b, idx]


class SetAbstraction(nn.Module):
    def __init__(self, n, k, cin, cout):
        super().__init__()
        self.n, self.k = n, k
        self.mlp = nn.Sequential(
            nn.Linear(cin + 3, cout), nn.LayerNorm(cout), nn.ReLU(inplace=True), nn.Linear(cout, cout)
        )

    def forward(self, xyz, feat):
        centre = gather(xyz, farthest_point_sample(xyz, self.n))
        nn_idx = torch.cdist(centre, xyz).topk(self.k, largest=False).indices
        local = gather(xyz, nn_idx)
        local -= centre.unsqueeze(2)
        grouped = torch.cat([local, gather(feat, nn_idx)], dim=-1)
        return centre, self.mlp(grouped).amax(dim=2)


class FeaturePropagation(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.fc = nn.Linear(cin, cout)

    def forward(self, xyz, centre, skip, feat):
        d, idx = torch.cdist(xyz, centre).topk(3, largest=False)
        w = d.clamp_(min=1e-6).reciprocal_()
        w /= w.sum(-1, keepdim=True)
        up = (gather(feat, idx) * w.unsqueeze(-1)).sum(2)
        return F.relu_(self.fc(torch.cat([skip, up], dim=-1)))


class PointSeg(nn.Module):
    def __init__(self, classes=4, ch=12):
        super().__init__()
        self.stem = nn.Linear(3, ch)
        self.sa1 = SetAbstraction(8, 4, ch, ch * 2)
        self.sa2 = SetAbstraction(4, 3, ch * 2, ch * 2)
        self.fp2 = FeaturePropagation(ch * 4, ch * 2)
        self.fp1 = FeaturePropagation(ch * 3, ch)
        self.head = nn.Linear(ch, classes)

    def forward(self, xyz):
        f0 = F.relu(self.stem(xyz))
        x1, f1 = self.sa1(xyz, f0)
        x2, f2 = self.sa2(x1, f1)
        f1 = self.fp2(x1, x2, f1, f2)
        return self.head(self.fp1(xyz, x1, f0, f1))


def train(model, batches):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for xyz, seg in batches:
        xyz = random_rotate(normalise_cloud_(xyz.clone()))
        xyz.add_(torch.randn_like(xyz).mul_(0.01).clamp_(-0.05, 0.05))
        loss = F.cross_entropy(model(xyz).transpose(1, 2), seg)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(PointSeg(), [(torch.rand(2, 20, 3), torch.randint(0, 4, (2, 20))) for _ in range(2)])
