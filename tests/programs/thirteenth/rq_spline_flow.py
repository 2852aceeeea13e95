"""Neural spline flow (rational quadratic), coupling layers, 2-D density."""
import torch
from torch import nn
import torch.nn.functional as F

MIN_W = MIN_H = 1e-3
MIN_D = 1e-3


def knots_from_logits(logits, min_size, bound):
    n = logits.shape[-1]
    sizes = F.softmax(logits, dim=-1)
    sizes.mul_(1 - min_size * n).add_(min_size)  # BUG
    edges = F.pad(torch.cumsum(sizes, -1), (1, 0))
    edges = 2 * bound * edges - bound
    return edges, edges[..., 1:] - edges[..., :-1]


def pick(t, idx):
    return t.gather(-1, idx).squeeze(-1)


def rqs(x, uw, uh, ud, bound):
    inside = (x > -bound) & (x < bound)
    xs = x.clamp(-bound + 1e-4, bound - 1e-4)
    xk, w = knots_from_logits(uw, MIN_W, bound)
    yk, h = knots_from_logits(uh, MIN_H, bound)
    d = F.pad(MIN_D + F.softplus(ud), (1, 1), value=1.0)

    idx = torch.searchsorted(xk.detach().contiguous(), xs.detach()[..., None]).sub_(1).clamp_(0, w.shape[-1] - 1)
    x0, y0, wi, hi = pick(xk, idx), pick(yk, idx), pick(w, idx), pick(h, idx)
    d0, d1 = pick(d, idx), pick(d, idx + 1)
    s = hi / wi
    t = (xs - x0) / wi
    t1 = t * (1 - t)
    den = s + (d0 + d1 - 2 * s) * t1
    y = y0 + hi * (s * t ** 2 + d0 * t1) / den
    logdet = torch.log(s ** 2 * (d1 * t ** 2 + 2 * s * t1 + d0 * (1 - t) ** 2)) - 2 * torch.log(den)
    return torch.where(inside, y, x), torch.where(inside, logdet, torch.zeros_like(logdet))


class SplineCoupling(nn.Module):
    def __init__(self, flip, bins=6, hidden=24, bound=4.0):
        super().__init__()
        self.flip, self.bins, self.bound = flip, bins, bound
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.ReLU(), nn.Linear(hidden, 3 * bins - 1))

    def forward(self, x):
        a, b = x.unbind(-1)
        if self.flip:
            a, b = b, a
        uw, uh, ud = self.net(a[:, None]).split([self.bins, self.bins, self.bins - 1], -1)
        b, ld = rqs(b, uw, uh, ud, self.bound)
        return torch.stack((b, a) if self.flip else (a, b), -1), ld


class Flow(nn.Module):
    def __init__(self, depth=4):
        super().__init__()
        self.layers = nn.ModuleList(SplineCoupling(bool(i % 2)) for i in range(depth))
        self.base = torch.distributions.Normal(0.0, 1.0)

    def log_prob(self, x):
        total = torch.zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            total = total + ld
        return total + self.base.log_prob(x).sum(-1)


def two_moons(n):
    t = torch.rand(n) * torch.pi
    s = torch.randint(0, 2, (n,)) * 2.0 - 1
    pts = torch.stack([t.cos() * s + 0.5 * s, t.sin() * s - 0.25 * s], 1)
    return pts + 0.05 * torch.randn(n, 2)


# --- driver ---
torch.manual_seed(0)
flow = Flow()
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(3):
    nll = -flow.log_prob(two_moons(128)).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
    print(nll.item())
