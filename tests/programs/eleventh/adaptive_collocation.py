"""Allen-Cahn PINN: hard boundary by construction, causal time weights, collocation points moved to large residuals."""
import math

import torch
from torch import nn
from torch.autograd import grad


class ModifiedMLP(nn.Module):
    """Two gates mix every hidden layer."""

    def __init__(self, n_in, width, depth):
        super().__init__()
        self.u, self.v = nn.Linear(n_in, width), nn.Linear(n_in, width)
        self.layers = nn.ModuleList([nn.Linear(n_in if i == 0 else width, width) for i in range(depth)])
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        u, v = torch.tanh(self.u(x)), torch.tanh(self.v(x))
        h = x
        for layer in self.layers:
            g = torch.tanh(layer(h))
            h = g * u + (1 - g) * v
        return self.out(h)


class AllenCahn:
    def __init__(self, net, d=0.01, gain=2.0):
        self.net, self.d, self.gain = net, d, gain

    def u(self, x, t):
        feats = torch.cat([torch.cos(math.pi * x), torch.sin(math.pi * x), t], 1)
        start = x.square() * torch.cos(math.pi * x)
        return start + t * self.net(feats)

    def residual(self, points):
        x, t = points[:, :1].requires_grad_(), points[:, 1:].requires_grad_()
        u = self.u(x, t)
        u_x, u_t = grad(u.sum(), (x, t), create_graph=True)
        u_xx = grad(u_x.sum(), x, create_graph=True)[0]
        r = u_t - self.d * u_xx
        r -= self.gain * (u - u ** 3)
        return r.squeeze(1)


class PointCloud:
    """Collocation points, kept in one tensor; the weak part is replaced in place between the steps."""

    def __init__(self, n, slices=4, eps=1.0):
        self.pts = torch.empty(n, 2)
        self.fill(slice(None))
        self.slices, self.eps = slices, eps
        self.weights = torch.ones(slices)

    def fill(self, where):
        block = torch.rand_like(self.pts[where])
        block[:, 0].mul_(2).sub_(1)
        self.pts[where] = block

    def current(self):
        return self.pts.clone()

    def loss(self, r, t):
        which = (t * self.slices).long().clamp_(max=self.slices - 1)
        per = torch.zeros(self.slices).index_add_(0, which, r.square())
        per = per / torch.bincount(which, minlength=self.slices).clamp_min(1)
        value = (self.weights * per).sum() / self.slices
        return value, per.detach()

    @torch.no_grad()
    def update(self, r, per, share=0.25):
        past = per.cumsum(0)
        past[1:] = past[:-1].clone()
        past[0] = 0.0
        self.weights.copy_(torch.exp(-self.eps * past))
        order = r.abs().argsort()
        weak, strong = order[: int(share * len(order))], order[-int(share * len(order)):]
        self.pts[weak] = self.pts[strong] + 0.05 * torch.randn(len(weak), 2)
        self.pts[:, 0].clamp_(-1, 1)
        self.pts[:, 1].clamp_(0, 1)
        self.fill(torch.randint(0, len(self.pts), (len(weak) // 2,)))


def solve(problem, cloud, steps, lr=2e-3):
    params = list(problem.net.parameters())
    opt = torch.optim.Adam(params, lr=lr)
    log = []
    for _ in range(steps):
        pts = cloud.current()
        r = problem.residual(pts)
        loss, per = cloud.loss(r, pts[:, 1].detach())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 10.0)
        opt.step()
        cloud.update(r, per)
        log.append(loss.item())
    return log


# --- driver ---
torch.manual_seed(0)
problem = AllenCahn(ModifiedMLP(3, 24, 3))
cloud = PointCloud(128)
print(solve(problem, cloud, 5))
