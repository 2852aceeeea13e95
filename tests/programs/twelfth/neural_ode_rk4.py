"""Neural ODE with an explicit Runge-Kutta scheme given by its Butcher tableau."""
import torch
from torch import nn
from dataclasses import dataclass
from typing import Sequence


@dataclass
class Tableau:
    a: Sequence[Sequence[float]]
    b: Sequence[float]
    c: Sequence[float]


SCHEMES = {
    "heun": Tableau([[], [1.0]], [0.5, 0.5], [0.0, 1.0]),
    "rk4": Tableau([[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1 / 6, 1 / 3, 1 / 3, 1 / 6], [0.0, 0.5, 0.5, 1.0]),
}


class Field(nn.Module):
    def __init__(self, d, width=20):
        super().__init__()
        self.l1 = nn.Linear(d + 1, width)
        self.l2 = nn.Linear(width, d)
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        return self.l2(torch.tanh(self.l1(torch.cat([y, t.expand(len(y), 1)], 1))))


class Stepper:
    def __init__(self, field, tableau):
        self.f, self.tab = field, tableau

    def stages(self, t, y, h):
        ks = []
        for row, c in zip(self.tab.a, self.tab.c):
            yi = y.clone()
            for w, k in zip(row, ks):
                if w:
                    yi.add_(k, alpha=w * h)
            ks.append(self.f(t + c * h, yi))
        return ks

    def __call__(self, t, y, h):
        out = y.clone()
        for w, k in zip(self.tab.b, self.stages(t, y, h)):
            out.add_(k, alpha=w * h)
        return out


def odeint(field, y0, times, scheme="rk4", substeps=2):
    step = Stepper(field, SCHEMES[scheme])
    path = y0.new_empty(len(times), *y0.shape)
    path[0] = y = y0
    for i, (t0, t1) in enumerate(zip(times, times[1:])):
        h = float(t1 - t0) / substeps
        for s in range(substeps):
            y = step(t0 + s * h, y, h)
        path[i + 1] = y
    return path


class LatentODE(nn.Module):
    def __init__(self, obs, latent=4):
        super().__init__()
        self.enc = nn.GRU(obs, 2 * latent, batch_first=True)
        self.field = Field(latent)
        self.dec = nn.Linear(latent, obs)

    def forward(self, x, times):
        mu, logvar = self.enc(x.flip(1))[1][0].chunk(2, -1)
        z0 = torch.randn_like(mu).mul_(torch.exp(0.5 * logvar)).add_(mu)
        z = odeint(self.field, z0, times)
        kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).sum(-1).mean()
        return self.dec(z).transpose(0, 1), kl


def spirals(n, times):
    w = 1 + torch.rand(n, 1)
    r = torch.exp(-0.2 * times)[None]
    xy = torch.stack([r * torch.cos(w * times), r * torch.sin(w * times)], -1)
    xy += 0.02 * torch.randn_like(xy)
    return xy


# --- driver ---
torch.manual_seed(36)
times = torch.linspace(0, 3, 8)
model = LatentODE(2)
opt = torch.optim.Adamax(model.parameters(), 1e-2)
for it in range(3):
    x = spirals(10, times)
    rec, kl = model(x, times)
    loss = (rec - x).abs().mean() + 1e-2 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item(), model.field.nfe)
