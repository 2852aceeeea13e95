"""Latent ODE for irregular trajectories with pluggable fixed-step solvers."""
import torch
import torch.nn as nn
import torch.nn.functional as F

SOLVERS = {}


def solver(name):
    def deco(fn):
        SOLVERS[name] = fn
        return fn
    return deco


@solver("euler")
def euler_step(f, t, y, dt):
    y += dt * f(t, y)  # BUG
    return y


@solver("midpoint")
def midpoint_step(f, t, y, dt):
    half = y + 0.5 * dt * f(t, y)
    return y + dt * f(t + 0.5 * dt, half)


@solver("rk4")
def rk4_step(f, t, y, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + dt / 2 * k1)
    k3 = f(t + dt / 2, y + dt / 2 * k2)
    k4 = f(t + dt, y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def odeint(f, y0, ts, method="rk4", substeps=2):
    step = SOLVERS[method]
    y = y0.clone()
    out = [y0]
    for t0, t1 in zip(ts[:-1], ts[1:]):
        dt = (t1 - t0) / substeps
        for i in range(substeps):
            y = step(f, t0 + i * dt, y, dt)
        out.append(y.clone())
    return torch.stack(out, dim=1)


class VectorField(nn.Module):
    def __init__(self, dim, hidden=24):
        super().__init__()
        self.l1 = nn.Linear(dim + 1, hidden)
        self.l2 = nn.Linear(hidden, dim)
        self.decay = nn.Linear(dim, dim, bias=False)
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        tt = t.expand(y.size(0), 1)
        h = torch.tanh(self.l1(torch.cat([y, tt], dim=-1)))
        return self.l2(h) - self.decay(y)


class LatentODE(nn.Module):
    def __init__(self, obs, latent=6, method="euler"):
        super().__init__()
        self.rnn = nn.GRU(obs, latent * 2, batch_first=True)
        self.to_z = nn.Linear(latent * 2, latent * 2)
        self.field = VectorField(latent)
        self.dec = nn.Linear(latent, obs)
        self.method = method

    def encode(self, x):
        _, h = self.rnn(x.flip(1))
        mu, logvar = self.to_z(h[-1]).chunk(2, dim=-1)
        return mu, logvar

    def forward(self, x, ts):
        mu, logvar = self.encode(x)
        z0 = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        zs = odeint(self.field, z0, ts, self.method)
        kl = 0.5 * (mu.pow(2) + logvar.exp() - logvar - 1).sum(-1).mean()
        return self.dec(zs), kl


def spirals(n, ts):
    phase = torch.rand(n, 1) * 6.28
    r = torch.exp(-0.3 * ts)[None]
    return torch.stack([r * torch.cos(ts + phase), r * torch.sin(ts + phase)], dim=-1)


def train_step(model, opt, x, ts, beta=0.01):
    recon, kl = model(x, ts)
    loss = F.mse_loss(recon, x) + beta * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
ts = torch.linspace(0, 2, 6)
model = LatentODE(2)
train_step(model, torch.optim.Adam(model.parameters(), lr=1e-2), spirals(4, ts), ts)
