"""Tiny radiance field: ray sampling, volume rendering, photometric loss."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class FourierFeatures(nn.Module):
    def __init__(self, n_freqs):
        super().__init__()
        self.register_buffer('bands', 2.0 ** torch.arange(n_freqs))

    def forward(self, x):
        y = x.unsqueeze(-1) * self.bands
        return torch.cat([x, y.sin().flatten(-2), y.cos().flatten(-2)], dim=-1)


class RadianceMLP(nn.Module):
    def __init__(self, n_freqs=3, width=32):
        super().__init__()
        self.enc_x, self.enc_d = FourierFeatures(n_freqs), FourierFeatures(1)
        self.trunk = nn.Sequential(nn.Linear(3 + 6 * n_freqs, width), nn.ReLU(inplace=True),
                                   nn.Linear(width, width), nn.ReLU(inplace=True))
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Sequential(nn.Linear(width + 9, width // 2), nn.ReLU(inplace=True), nn.Linear(width // 2, 3))

    def forward(self, pts, dirs):
        h = self.trunk(self.enc_x(pts))
        sigma = F.softplus(self.sigma(h)).squeeze(-1)
        rgb = torch.sigmoid(self.rgb(torch.cat([h, self.enc_d(dirs)], -1)))
        return sigma, rgb


def get_rays(h, w, focal, pose):
    j, i = torch.meshgrid(torch.arange(h), torch.arange(w), indexing='ij')
    d = torch.stack([(i - w / 2) / focal, -(j - h / 2) / focal, -torch.ones_like(i, dtype=torch.float)], -1)
    d = (d[..., None, :] * pose[:3, :3]).sum(-1)
    o = pose[:3, 3].expand_as(d)
    return o.reshape(-1, 3), d.reshape(-1, 3)


def stratified(n_rays, near, far, n):
    edges = torch.linspace(near, far, n + 1)
    lo, hi = edges[:-1], edges[1:]
    return lo + (hi - lo) * torch.rand(n_rays, n)


def render_weights(sigma, z):
    delta = z[:, 1:] - z[:, :-1]
    delta = torch.cat([delta, torch.full_like(delta[:, :1], 1e10)], dim=1)
    alpha = 1.0 - torch.exp(-sigma * delta)
    trans = torch.cumprod(1.0 - alpha + 1e-10, dim=1)
    trans = trans.roll(1, dims=1)
    trans[:, 0] = 1.0
    return alpha * trans


def prune_low_density(sigma, z, stop):
    optical = torch.exp(-torch.cumsum(sigma * (z[:, -1:] - z[:, :1]) / z.size(1), dim=1))
    optical[optical < stop] = 0.0  # BUG
    return optical


class Renderer:
    def __init__(self, field, near=2.0, far=6.0, n=16, stop=1e-3, white_bg=True):
        self.field, self.near, self.far, self.n = field, near, far, n
        self.stop, self.white_bg = stop, white_bg

    def __call__(self, o, d):
        z = stratified(o.size(0), self.near, self.far, self.n)
        pts = o[:, None] + d[:, None] * z[..., None]
        view = F.normalize(d, dim=-1)[:, None].expand_as(pts)
        sigma, rgb = self.field(pts, view)
        w = render_weights(sigma, z)
        color = (w[..., None] * rgb).sum(1)
        if self.white_bg:
            color += (1 - w.sum(1, keepdim=True))
        visible = prune_low_density(sigma, z, self.stop)
        return {'rgb': color, 'depth': (w * z).sum(1), 'visible': visible}


def training_step(renderer, opt, rays, target, reg=1e-3):
    out = renderer(*rays)
    loss = F.mse_loss(out['rgb'], target) + reg * out['visible'].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return -10.0 * torch.log10(loss.detach())


# --- driver ---
pose = torch.eye(4)
pose[2, 3] = 4.0
field = RadianceMLP()
renderer, opt = Renderer(field), torch.optim.Adam(field.parameters(), lr=5e-4)
for _ in range(2):
    rays = get_rays(6, 6, 8.0, pose)
    print(training_step(renderer, opt, rays, torch.rand(36, 3)))
