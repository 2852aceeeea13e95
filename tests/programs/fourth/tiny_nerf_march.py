import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def frequency_encode(x, n_freq):
    out = [x]
    for k in range(n_freq):
        out += [torch.sin(2 ** k * x), torch.cos(2 ** k * x)]
    return torch.cat(out, -1)


def make_rays(height, width, focal):
    j, i = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    dirs = torch.stack([(i - width / 2) / focal, -(j - height / 2) / focal, -torch.ones_like(i, dtype=torch.float)], -1)
    dirs /= dirs.norm(dim=-1, keepdim=True)
    origins = torch.zeros_like(dirs)
    origins[..., 2] += 3.0
    return origins.view(-1, 3), dirs.view(-1, 3)


class RadianceField(nn.Module):
    def __init__(self, n_freq=3, width=24):
        super().__init__()
        self.n_freq = n_freq
        din = 3 * (2 * n_freq + 1)
        self.trunk = nn.Sequential(nn.Linear(din, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.ReLU(inplace=True))
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Linear(width, 3)

    def forward(self, pts):
        h = self.trunk(frequency_encode(pts, self.n_freq))
        return F.softplus(self.sigma(h)).squeeze(-1), torch.sigmoid(self.rgb(h))


class RayMarcher:
    def __init__(self, near, far, n_samples, background=1.0):
        self.near, self.far, self.n = near, far, n_samples
        self.background = background

    def depths(self, n_rays, jitter):
        edges = torch.linspace(self.near, self.far, self.n + 1)
        t = edges[:-1].repeat(n_rays, 1)
        if jitter:
            t += torch.rand_like(t) * (edges[1] - edges[0])
        return t

    def __call__(self, field, origins, dirs, jitter=True):
        t = self.depths(len(origins), jitter)
        delta = torch.full_like(t, (self.far - self.near) / self.n)
        pts = origins[:, None] + dirs[:, None] * t[..., None]
        sigma, rgb = field(pts)
        alpha = 1 - torch.exp(-sigma * delta)
        transmittance = torch.ones(len(origins), 1)
        color = torch.zeros(len(origins), 3)
        for s in range(self.n):
            a = alpha[:, s:s + 1]
            color += transmittance * a * rgb[:, s]
            transmittance *= 1 - a  # BUG
        return color + transmittance * self.background


def train(args, field, marcher, rays, image):
    opt = torch.optim.Adam(field.parameters(), lr=args.lr)
    origins, dirs = rays
    for _ in range(args.steps):
        pick = torch.randint(0, len(origins), (args.batch,))
        pred = marcher(field, origins[pick], dirs[pick])
        loss = F.mse_loss(pred, image[pick])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return -10 * torch.log10(loss.detach())


# --- driver ---
torch.manual_seed(0)
args = argparse.Namespace(lr=5e-4, steps=2, batch=8)
rays = make_rays(4, 4, 3.0)
train(args, RadianceField(), RayMarcher(2.0, 4.0, 6), rays, torch.rand(16, 3))
