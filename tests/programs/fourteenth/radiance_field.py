"""1-scene radiance field: positional encoding, stratified samples, volume rendering."""
import math
import torch
import torch.nn as nn


class FourierFeatures(nn.Module):
    def __init__(self, octaves):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(octaves) * math.pi)

    def out_dim(self, d):
        return d * (1 + 2 * self.freqs.numel())

    def forward(self, x):
        angles = (x.unsqueeze(-1) * self.freqs).flatten(-2)
        return torch.cat([x, angles.sin(), angles.cos()], -1)


class RadianceField(nn.Module):
    def __init__(self, width=32, octaves=3):
        super().__init__()
        self.encode = FourierFeatures(octaves)
        self.trunk = nn.Sequential(nn.Linear(self.encode.out_dim(3), width), nn.ReLU(inplace=True),
                                   nn.Linear(width, width), nn.ReLU(inplace=True))
        self.density = nn.Linear(width, 1)
        self.colour = nn.Linear(width + 3, 3)

    def forward(self, points, view):
        h = self.trunk(self.encode(points))
        sigma = nn.functional.softplus(self.density(h)).squeeze(-1)
        view = view.unsqueeze(1).expand(-1, points.size(1), -1)
        return sigma, torch.sigmoid(self.colour(torch.cat([h, view], -1)))


def stratified(n_rays, samples, near, far):
    edges = torch.linspace(near, far, samples + 1)
    lo, width = edges[:-1], edges[1:] - edges[:-1]
    return lo + width * torch.rand(n_rays, samples)


def drop_own_factor_(products, factors):
    """Turns inclusive running products into exclusive ones."""
    return products.div_(factors)  # BUG


def transmittance(alpha):
    """Probability that the ray reaches the start of each interval."""
    survive = 1 - alpha + 1e-6
    return drop_own_factor_(torch.cumprod(survive, dim=-1), survive)


def composite(sigma, rgb, depths, far):
    gaps = torch.diff(depths, dim=-1, append=torch.full_like(depths[:, :1], far))
    alpha = 1 - torch.exp(-sigma * gaps)
    weights = alpha * transmittance(alpha)
    return (weights.unsqueeze(-1) * rgb).sum(1), (weights * depths).sum(1), weights.sum(1)


class Renderer(nn.Module):
    def __init__(self, field, near=0.5, far=3.0, samples=12, background=1.0):
        super().__init__()
        self.field, self.near, self.far = field, near, far
        self.samples, self.background = samples, background

    def forward(self, origin, direction):
        depths = stratified(origin.size(0), self.samples, self.near, self.far)
        points = origin.unsqueeze(1) + depths.unsqueeze(-1) * direction.unsqueeze(1)
        sigma, rgb = self.field(points, direction)
        colour, depth, opacity = composite(sigma, rgb, depths, self.far)
        return colour + self.background * (1 - opacity).unsqueeze(-1), depth, opacity


def camera_rays(n):
    origin = nn.functional.normalize(torch.randn(n, 3), dim=1) * 2
    towards = -origin + 0.2 * torch.randn(n, 3)
    return origin, nn.functional.normalize(towards, dim=1)


def analytic_sphere(origin, direction, radius=0.6):
    b = (origin * direction).sum(1)
    hit = b.square() - (origin.square().sum(1) - radius ** 2) > 0
    return torch.where(hit.unsqueeze(1), torch.tensor([0.9, 0.2, 0.1]), torch.ones(3))


# --- driver ---
torch.manual_seed(5)
renderer = Renderer(RadianceField())
opt = torch.optim.Adam(renderer.parameters(), lr=5e-3)
for _ in range(3):
    o, d = camera_rays(24)
    colour, depth, opacity = renderer(o, d)
    loss = nn.functional.mse_loss(colour, analytic_sphere(o, d)) + 1e-3 * opacity.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
