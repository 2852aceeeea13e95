"""Stations to grid: each grid cell collects from irregular station reports."""
import functools

import torch
from torch import nn

row_softmax = functools.partial(torch.softmax, dim=-1)


def fourier(coords, bands):
    ang = coords[..., None] * bands
    return torch.cat([ang.sin(), ang.cos()], dim=-1).flatten(-2)


class StationToGrid(nn.Module):
    def __init__(self, n_vars, bands=3, width=12):
        super().__init__()
        geo = 2 * 2 * bands
        self.register_buffer("bands", 2.0 ** torch.arange(bands))
        self.proj = nn.ModuleDict({
            "cell": nn.Linear(geo, width),
            "station": nn.Linear(geo, width),
            "report": nn.Linear(n_vars + geo, 2 * width),
        })
        self.length_scale = nn.Parameter(torch.tensor(0.5))
        self.decode = nn.Sequential(nn.Linear(2 * width, width), nn.SiLU(), nn.Linear(width, n_vars))

    def forward(self, grid_xy, station_xy, reports, valid=None):
        g, s = fourier(grid_xy, self.bands), fourier(station_xy, self.bands)
        tensors = {
            "cell": self.proj["cell"](g),
            "station": self.proj["station"](s),
            "report": self.proj["report"](torch.cat([reports, s], -1)),
        }
        logits = torch.einsum("bgc,bsc->bgs", tensors["cell"], tensors["station"])
        logits = logits / tensors["cell"].shape[-1] ** 0.5
        # nearby stations are preferred
        dist2 = torch.cdist(grid_xy, station_xy).square()
        logits = logits - dist2 / self.length_scale.square()
        if valid is not None:
            logits = torch.masked_fill(logits, ~valid.unsqueeze(-2), -torch.inf)
        w = row_softmax(logits)  # ATTN
        field = torch.einsum("bgs,bsv->bgv", w, tensors["report"])
        return self.decode(field)


class RefineField(nn.Module):
    def __init__(self, n_vars):
        super().__init__()
        self.conv = nn.Conv2d(n_vars, n_vars, 3, padding=1)

    def forward(self, field, h, w):
        b, _, v = field.shape
        img = field.transpose(1, 2).reshape(b, v, h, w)
        return img + self.conv(img)


def regular_grid(b, h, w):
    yy, xx = torch.meshgrid(torch.linspace(0, 1, h), torch.linspace(0, 1, w), indexing="ij")
    return torch.stack([yy, xx], -1).reshape(1, h * w, 2).expand(b, -1, -1)


# --- driver ---
torch.manual_seed(33)
s2g, refine = StationToGrid(3).double().eval(), RefineField(3).double().eval()
RESULTS = []
for h, w, ns, mask in ((4, 5, 9, False), (3, 3, 14, True)):
    xy = torch.rand(2, ns, 2, dtype=torch.float64, requires_grad=True)
    rep = torch.randn(2, ns, 3, dtype=torch.float64, requires_grad=True)
    ok = (torch.arange(ns) % 3 != torch.tensor([[0], [1]])) if mask else None
    s2g.zero_grad(), refine.zero_grad()
    img = refine(s2g(regular_grid(2, h, w).double(), xy, rep, ok), h, w)
    img.tanh().square().sum().backward()
    RESULTS += [img.detach(), xy.grad, rep.grad]
    RESULTS += [p.grad.clone() for m in (s2g, refine) for p in m.parameters()]
