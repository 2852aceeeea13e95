"""Object pose from point clouds, six dimensional rotation representation."""
import torch
from torch import nn
import torch.nn.functional as F


def unit_(v):
    """Scales the vectors of the last dimension to length one."""
    return v.div_(v.norm(dim=-1, keepdim=True).clamp(min=1e-8))  # BUG


def gram_schmidt(six):
    a, b = six[..., :3], six[..., 3:]
    x = F.normalize(a, dim=-1)
    y = unit_(b - (x * b).sum(-1, keepdim=True) * x)
    return torch.stack([x, y, torch.linalg.cross(x, y)], -1)


def geodesic(R, S):
    tr = (R.mT @ S).diagonal(dim1=-2, dim2=-1).sum(-1)
    cos = (tr - 1) / 2
    cos.clamp_(-1 + 1e-5, 1 - 1e-5)
    return torch.acos(cos)


class TNet(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.point = nn.Sequential(
            nn.Conv1d(3, width, 1), nn.BatchNorm1d(width), nn.ReLU(inplace=True),
            nn.Conv1d(width, 2 * width, 1), nn.BatchNorm1d(2 * width), nn.ReLU(inplace=True),
        )
        self.rot = nn.Linear(2 * width, 6)
        self.trans = nn.Linear(2 * width, 3)
        with torch.no_grad():
            self.rot.bias.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))

    def forward(self, pts):
        centre = pts.mean(1)
        h = self.point((pts - centre[:, None]).transpose(1, 2)).amax(-1)
        t = self.trans(h)
        t += centre
        return gram_schmidt(self.rot(h)), t


class PoseDataset:
    def __init__(self, model_points, n, noise=0.01, seed=0):
        self.gen = torch.Generator().manual_seed(seed)
        self.model, self.n, self.noise = model_points, n, noise

    def random_rotation(self, k):
        q, r = torch.linalg.qr(torch.randn(k, 3, 3, generator=self.gen))
        q *= r.diagonal(dim1=-2, dim2=-1).sign().unsqueeze(-2)
        q[torch.linalg.det(q) < 0, :, 0] *= -1
        return q

    def __iter__(self):
        for _ in range(self.n):
            R, t = self.random_rotation(8), torch.randn(8, 3, generator=self.gen)
            pts = self.model @ R.mT
            pts += t[:, None]
            pts += self.noise * torch.randn(pts.shape, generator=self.gen)
            yield pts, R, t


def add_metric(model, R, t, R0, t0):
    a = model @ R.mT + t[:, None]
    b = model @ R0.mT + t0[:, None]
    return (a - b).norm(dim=-1).mean()


def train(net, data, w_geo=0.2):
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    for pts, R0, t0 in data:
        R, t = net(pts)
        loss = add_metric(data.model, R, t, R0, t0) + w_geo * geodesic(R, R0).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.4f}")


# --- driver ---
torch.manual_seed(48)
train(TNet(), PoseDataset(torch.randn(20, 3), 3))
