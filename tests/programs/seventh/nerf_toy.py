"""Volume rendering of a toy radiance field with occupancy grid and hierarchical samples."""
import math
import torch
import torch.nn as nn


class FourierFeatures(nn.Module):
    def __init__(self, bands):
        super().__init__()
        self.bands = bands
        self.alpha = float(bands)

    def forward(self, x):
        d = x.size(-1)
        out = x.new_empty(*x.shape[:-1], d * (1 + 2 * self.bands))
        out[..., :d] = x
        for k in range(self.bands):
            w = 0.5 * (1 - math.cos(math.pi * min(max(self.alpha - k, 0), 1)))
            base = d + 2 * k * d
            out[..., base:base + d] = w * torch.sin(2 ** k * math.pi * x)
            out[..., base + d:base + 2 * d] = w * torch.cos(2 ** k * math.pi * x)
        return out


class Field(nn.Module):
    def __init__(self, bands=2, width=16):
        super().__init__()
        self.enc = FourierFeatures(bands)
        d = 3 * (1 + 2 * bands)
        self.trunk = nn.Sequential(nn.Linear(d, width), nn.ReLU(True), nn.Linear(width, width), nn.ReLU(True))
        self.sigma, self.rgb = nn.Linear(width, 1), nn.Linear(width + 3, 3)

    def forward(self, x, viewdir):
        h = self.trunk(self.enc(x))
        s = self.sigma(h).squeeze(-1)
        s -= 1.0
        c = self.rgb(torch.cat([h, viewdir.expand_as(x)], -1))
        return nn.functional.softplus(s), torch.sigmoid(c)


class Occupancy:
    def __init__(self, res=8, decay=0.9, thr=0.01):
        self.grid = torch.ones(res, res, res)
        self.res, self.decay, self.thr = res, decay, thr

    def _index(self, x):
        return ((x + 1) / 2 * self.res).long().clamp_(0, self.res - 1).unbind(-1)

    @torch.no_grad()
    def update(self, field, n=64):
        x = torch.empty(n, 3).uniform_(-1, 1)
        s, _ = field(x, torch.zeros(1, 3))
        self.grid.mul_(self.decay)
        idx = self._index(x)
        self.grid[idx] = torch.maximum(self.grid[idx], s)

    def alive(self, x):
        return self.grid[self._index(x)] > self.thr


def stratified(near, far, n_rays, n):
    t = torch.linspace(near, far, n + 1)
    lo, hi = t[:-1], t[1:]
    u = torch.rand(n_rays, n)
    return u.mul_(hi - lo).add_(lo)


@torch.no_grad()
def importance(t, w, n):
    pdf = w.detach() + 1e-4
    pdf /= pdf.sum(-1, keepdim=True)
    cdf = pdf.cumsum(-1)
    cdf[..., -1].fill_(1.0)
    i = torch.searchsorted(cdf, torch.rand(t.size(0), n)).clamp_(max=t.size(1) - 1)
    extra = t.gather(1, i)
    extra += 0.02 * torch.randn_like(extra)
    return torch.cat([t, extra], 1).sort(1).values


def composite(sigma, rgb, t, white=True):
    delta = torch.empty_like(t)
    delta[:, :-1] = t[:, 1:] - t[:, :-1]
    delta[:, -1] = 1e2
    alpha = 1 - torch.exp(-sigma * delta)
    trans = torch.cumprod(1 - alpha + 1e-10, -1)
    trans = torch.cat([torch.ones_like(trans[:, :1]), trans[:, :-1]], 1)
    w = alpha * trans
    out = (w.unsqueeze(-1) * rgb).sum(1)
    if white:
        out += 1 - w.sum(-1, keepdim=True)
    return out, w


class Renderer:
    def __init__(self, field, occ, near=0.5, far=3.5, n=8):
        self.field, self.occ, self.near, self.far, self.n = field, occ, near, far, n

    def _query(self, o, d, t):
        x = o[:, None] + d[:, None] * t[..., None]
        sigma, rgb = self.field(x, d[:, None])
        sigma = sigma.masked_fill(~self.occ.alive(x), 0.0)
        return composite(sigma, rgb, t)

    def __call__(self, o, d):
        t = stratified(self.near, self.far, len(o), self.n)
        coarse, w = self._query(o, d, t)
        fine, _ = self._query(o, d, importance(t, w, self.n))
        return coarse, fine


def rays(n):
    o = torch.tensor([0.0, 0.0, -2.0]).repeat(n, 1)
    d = torch.randn(n, 3).mul_(0.2)
    d[:, 2] = 1
    d /= d.norm(dim=-1, keepdim=True)
    return o, d, (d[:, :2].norm(dim=-1, keepdim=True) < 0.2).float().repeat(1, 3)


# --- driver ---
torch.manual_seed(0)
field, occ = Field(), Occupancy()
render, opt = Renderer(field, occ), torch.optim.Adam(field.parameters(), 5e-4)
for step in range(2):
    o, d, target = rays(6)
    loss = sum(((c - target) ** 2).mean() for c in render(o, d))
    opt.zero_grad()
    loss.backward()
    opt.step()
    occ.update(field)
