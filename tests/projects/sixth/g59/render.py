import torch
import torch.nn as nn


class Grid:
    def __init__(self, res=8, decay=0.9):
        self.occ = torch.ones(res, res)
        self.res, self.decay = res, decay

    def index(self, p):
        ij = ((p + 1) / 2 * self.res).long().clamp_(0, self.res - 1)
        return ij[:, 0], ij[:, 1]

    def alive(self, p):
        i, j = self.index(p)
        return self.occ[i, j] > 0.02

    @torch.no_grad()
    def update(self, p, sigma):
        self.occ *= self.decay
        i, j = self.index(p)
        flat = i * self.res + j
        self.occ.view(-1).scatter_reduce_(0, flat, sigma.detach(), "amax")


class Field(nn.Module):
    def __init__(self, L=3, h=24):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(L))
        self.l1 = nn.Linear(2 * 2 * L, h)
        self.sigma, self.rgb = nn.Linear(h, 1), nn.Linear(h, 3)

    def forward(self, p):
        x = (p.unsqueeze(-1) * self.freqs).flatten(1)
        x = torch.cat([x.sin(), x.cos()], 1)
        h = self.l1(x).relu_()
        return torch.nn.functional.softplus(self.sigma(h)).squeeze(1), self.rgb(h).sigmoid_()


def render(field, grid, o, d, n=12, training=True):
    B = o.size(0)
    t = torch.linspace(0, 1.9, n).repeat(B, 1)
    if training:
        t += torch.rand_like(t) * (1.9 / n)
    delta = t[:, 1:] - t[:, :-1]
    delta = torch.cat([delta, torch.full((B, 1), 0.1)], 1)
    p = (o[:, None] + t[..., None] * d[:, None]).reshape(-1, 2)
    keep = grid.alive(p)
    keep[::7] = True
    s, c = field(p[keep])
    sigma = torch.zeros(B * n)
    color = torch.zeros(B * n, 3)
    sigma[keep] = s
    color[keep] = c
    if training:
        grid.update(p[keep], s)
    alpha = 1 - torch.exp(-sigma.view(B, n) * delta)
    trans = torch.cumprod(1 - alpha + 1e-6, 1)
    trans = torch.cat([torch.ones(B, 1), trans[:, :-1]], 1)
    w = alpha * trans
    rgb = (w.unsqueeze(-1) * color.view(B, n, 3)).sum(1)
    bg = 1 - w.sum(1, keepdim=True)
    rgb += bg
    return rgb, w
