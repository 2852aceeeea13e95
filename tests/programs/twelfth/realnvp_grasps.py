# conditional RealNVP over grasp poses
import math
import torch
import torch.nn as nn


def net(i, o, h=24):
    m = nn.Sequential(nn.Linear(i, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, o))
    nn.init.normal_(m[-1].weight, std=0.05)
    nn.init.zeros_(m[-1].bias)
    return m


class ActNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.loc, self.log_scale = nn.Parameter(torch.zeros(d)), nn.Parameter(torch.zeros(d))
        self.ready = False

    def forward(self, x, logdet):
        if not self.ready:
            with torch.no_grad():
                self.loc.copy_(x.mean(0))
                self.log_scale.copy_(-(x.std(0) + 1e-3).log())
            self.ready = True
        return (x - self.loc) * self.log_scale.exp(), logdet + self.log_scale.sum()


class Coupling(nn.Module):
    """Affine coupling, the second part of the vector is transformed given the first."""

    def __init__(self, d, ctx, flip):
        super().__init__()
        self.d1 = d // 2
        self.flip = flip
        self.st = net(self.d1, 2 * (d - self.d1))
        self.cond = nn.Linear(ctx, 2 * (d - self.d1), bias=False)

    def forward(self, x, c, logdet):
        if self.flip:
            x = x.flip(-1)
        s, t = (self.st(x[:, : self.d1]) + self.cond(c)).chunk(2, -1)
        s = 1.5 * torch.tanh(s)
        tail = x[:, self.d1 :]
        tail.mul_(s.exp()).add_(t)  # BUG
        return x, logdet + s.sum(-1)


class GraspFlow(nn.Module):
    def __init__(self, d, ctx, steps):
        super().__init__()
        self.d = d
        self.norms = nn.ModuleList(ActNorm(d) for _ in range(steps))
        self.coup = nn.ModuleList(Coupling(d, ctx, k % 2 == 1) for k in range(steps))
        self.enc = nn.Sequential(nn.Linear(9, 16), nn.ReLU(inplace=True), nn.Linear(16, ctx))

    def log_prob(self, grasp, cloud):
        c = self.enc(cloud).amax(1)
        x, logdet = grasp, grasp.new_zeros(len(grasp))
        for n, k in zip(self.norms, self.coup):
            x, logdet = n(x, logdet)
            x, logdet = k(x, c, logdet)
        base = -0.5 * x.square().sum(-1) - 0.5 * self.d * math.log(2 * math.pi)
        return base + logdet


def point_features(xyz, normals):
    centred = xyz - xyz.mean(1, keepdim=True)
    centred /= centred.norm(dim=-1).amax(1)[:, None, None]
    return torch.cat([centred, normals, centred * normals], -1)


def dequantise(grasps, step=0.01):
    return grasps + torch.rand_like(grasps).sub_(0.5).mul_(step)


def fit(flow, data, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr)
    for xyz, normals, grasps in data:
        nll = -flow.log_prob(dequantise(grasps), point_features(xyz, normals)).mean()
        opt.zero_grad()
        nll.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        yield nll.item()


# --- driver ---
torch.manual_seed(43)
data = [(torch.randn(12, 10, 3), torch.randn(12, 10, 3), torch.randn(12, 7)) for _ in range(3)]
print(list(fit(GraspFlow(7, 5, 4), data)))
