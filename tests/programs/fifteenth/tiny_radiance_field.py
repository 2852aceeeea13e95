"""Tiny neural radiance field with stratified sampling along rays."""
from collections import namedtuple

import torch
import torch.nn as nn

Rays = namedtuple("Rays", "origin direction")


class PositionalEncoding(nn.Module):
    def __init__(self, n_freq):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(n_freq))

    @property
    def out_dim(self):
        return 3 * (1 + 2 * len(self.freqs))

    def forward(self, x):
        ang = (x.unsqueeze(-1) * self.freqs).flatten(-2)
        return torch.cat([x, ang.sin(), ang.cos()], -1)


class Field(nn.Module):
    def __init__(self, n_freq=4, width=32):
        super().__init__()
        self.pe = PositionalEncoding(n_freq)
        self.trunk = nn.Sequential(
            nn.Linear(self.pe.out_dim, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.ReLU(inplace=True)
        )
        self.sigma, self.rgb = nn.Linear(width, 1), nn.Linear(width, 3)

    def forward(self, pts):
        h = self.trunk(self.pe(pts))
        return self.sigma(h).squeeze(-1), self.rgb(h).sigmoid()


def stratified(n_rays, n_samples, near, far):
    edges = torch.linspace(near, far, n_samples + 1)
    width = edges[1:] - edges[:-1]
    t = torch.rand(n_rays, n_samples)
    t *= width
    t += edges[:-1]
    return t


def composite(sigma, rgb, t, opaque_end=True, noise=0.0):
    """Volume rendering; the last sample is treated as an opaque backdrop."""
    delta = torch.full_like(t, 1e3)
    delta[:, :-1] = t[:, 1:] - t[:, :-1]
    if noise:
        sigma += noise * torch.randn_like(sigma)
    alpha = 1 - torch.exp(-torch.relu(sigma) * delta)
    if opaque_end:
        alpha[:, -1] = 1.0
    through = torch.ones_like(alpha)
    through[:, 1:] = torch.cumprod(1 - alpha[:, :-1] + 1e-10, dim=1)
    weights = alpha * through
    colour = (weights.unsqueeze(-1) * rgb).sum(1)
    depth = (weights * t).sum(1)
    return colour, depth, weights


def render(field, rays, n_samples=12, near=0.5, far=2.5, **kw):
    t = stratified(len(rays.origin), n_samples, near, far)
    pts = rays.origin[:, None] + t[..., None] * rays.direction[:, None]
    sigma, rgb = field(pts)
    return composite(sigma, rgb, t, **kw)


def sphere_scene(rays):
    """Ground-truth colours: a unit sphere lit from above against white."""
    b = (rays.origin * rays.direction).sum(-1)
    c = rays.origin.square().sum(-1) - 0.36
    disc = b * b - c
    hit = disc > 0
    d = -b - disc.clamp(min=0).sqrt()
    normal = nn.functional.normalize(rays.origin + d[:, None] * rays.direction, dim=-1)
    colour = torch.ones(len(b), 3)
    colour[hit] = (0.5 + 0.5 * normal[hit, 1:2]).expand(-1, 3)
    return colour


def random_rays(n):
    o = nn.functional.normalize(torch.randn(n, 3), dim=-1) * 1.5
    d = nn.functional.normalize(0.3 * torch.randn(n, 3) - o, dim=-1)
    return Rays(o, d)


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    field = Field()
    opt = torch.optim.Adam(field.parameters(), lr=5e-3)
    for it in range(3):
        rays = random_rays(32)
        colour, depth, w = render(field, rays, noise=0.1)
        loss = (colour - sphere_scene(rays)).square().mean() + 1e-3 * w.square().sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item(), depth.mean().item())
