import torch
from torch import nn, Tensor


def posenc(x: Tensor, n: int) -> Tensor:
    f = 2.0 ** torch.arange(n)
    ang = (x[..., None, :] * f[:, None]).flatten(-2)
    return torch.cat([x, ang.sin(), ang.cos()], -1)


def stratified(near: float, far: float, rays: int, n: int, jitter: bool) -> Tensor:
    edges = torch.linspace(near, far, n + 1)
    t = edges[:-1].expand(rays, n).clone()
    if jitter:
        t += torch.rand(rays, n) * (edges[1] - edges[0])
    return t


class RadianceField(nn.Module):
    def __init__(self, n_freq=4, width=32):
        super().__init__()
        self.n_freq = n_freq
        d = 3 + 6 * n_freq
        self.trunk = nn.Sequential(nn.Linear(d, width), nn.ReLU(inplace=True),
                                   nn.Linear(width, width), nn.ReLU(inplace=True))
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Sequential(nn.Linear(width + 3, width // 2), nn.ReLU(inplace=True),
                                 nn.Linear(width // 2, 3), nn.Sigmoid())

    def forward(self, pts, dirs):
        h = self.trunk(posenc(pts, self.n_freq))
        return nn.functional.softplus(self.sigma(h)[..., 0] - 1), self.rgb(torch.cat([h, dirs], -1))


class OccupancyGrid(nn.Module):
    """Cells the field has never found occupied are skipped."""

    def __init__(self, res=8, decay=0.9, thresh=0.01):
        super().__init__()
        self.res, self.decay, self.thresh = res, decay, thresh
        self.register_buffer("density", torch.ones(res, res, res))

    def cells(self, pts):
        return ((pts.detach() + 1) / 2 * self.res).long().clamp_(0, self.res - 1).unbind(-1)

    def alive(self, pts):
        return self.density[self.cells(pts)] > self.thresh

    @torch.no_grad()
    def update(self, pts, sigma):
        self.density.mul_(self.decay)
        i = self.cells(pts)
        self.density[i] = torch.maximum(self.density[i], sigma)


def composite(sigma, rgb, t, far, background):
    dt = torch.diff(t, dim=-1, append=torch.full_like(t[:, :1], far))
    alpha = 1 - torch.exp(-sigma * dt)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], -1), -1)[:, :-1]
    w = alpha * trans
    color = (w[..., None] * rgb).sum(1)
    acc = w.sum(1)
    color += (1 - acc)[:, None] * background
    return color, (w * t).sum(1)


def render(field, grid, o, d, near=0.5, far=2.5, n=16):
    t = stratified(near, far, len(o), n, field.training)
    pts = o[:, None] + t[..., None] * d[:, None]
    sigma, rgb = field(pts, d[:, None].expand_as(pts))
    raw = sigma.detach()
    sigma = sigma.masked_fill(~grid.alive(pts), 0.0)
    if field.training:
        grid.update(pts, raw)
    return composite(sigma, rgb, t, far, torch.ones(3))


# --- driver ---
torch.manual_seed(0)
field, grid = RadianceField(), OccupancyGrid()
opt = torch.optim.Adam(field.parameters(), lr=2e-3)
for i in range(3):
    d = nn.functional.normalize(torch.randn(20, 3), dim=-1)
    color, depth = render(field, grid, -1.5 * d, d)
    loss = (color - d.abs()).square().mean() + 1e-3 * depth.var()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
