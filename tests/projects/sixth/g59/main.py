import math

import torch

from render import Field, Grid, render


def rays(n):
    ang = torch.rand(n) * 2 * math.pi
    o = torch.stack([ang.cos(), ang.sin()], 1)
    d = -o + 0.3 * torch.randn(n, 2)
    d /= d.norm(dim=1, keepdim=True)
    return o, d


def truth(o, d):
    # a red disk of radius 0.4 on white
    b = (o * d).sum(1)
    disc = b * b - (o.pow(2).sum(1) - 0.16)
    rgb = torch.ones(o.size(0), 3)
    rgb[disc > 0, 1:] = 0.1
    return rgb


torch.manual_seed(59)
torch.set_num_threads(1)
field, grid = Field(), Grid()
opt = torch.optim.Adam(field.parameters(), 1e-2)
for it in range(12):
    o, d = rays(48)
    pred, w = render(field, grid, o, d)
    diff = pred - truth(o, d)
    loss = diff.pow_(2).mean()
    loss += 1e-3 * (w * (1 - w)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 4 == 3:
        with torch.no_grad():
            o, d = rays(32)
            img, _ = render(field, grid, o, d, training=False)
            img.clamp_(0, 1).sub_(truth(o, d)).pow_(2)
        print(it, round(loss.item(), 4), "psnr", round(-10 * math.log10(img.mean().item()), 2))
