"""Latent ODE for irregular spirals, fixed-step Euler / RK4 integrators."""
import argparse
import torch
import torch.nn as nn

parser = argparse.ArgumentParser('latent ode')
parser.add_argument('--method', choices=['euler', 'rk4'], default='euler')
parser.add_argument('--latent', type=int, default=4)
parser.add_argument('--nhidden', type=int, default=16)
parser.add_argument('--lr', type=float, default=0.01)
parser.add_argument('--noise', type=float, default=0.1)


class ODEFunc(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.fc1 = nn.Linear(d, h)
        self.fc2 = nn.Linear(h, d)
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        return self.fc2(torch.nn.functional.elu(self.fc1(y)))


def euler(f, y0, ts):
    ys = [y0]
    y = y0.clone()
    for i in range(len(ts) - 1):
        dt = ts[i + 1] - ts[i]
        y += dt * f(ts[i], y)  # BUG
        ys.append(y.clone())
    return torch.stack(ys, 1)


def rk4(f, y0, ts):
    ys = [y0]
    for i in range(len(ts) - 1):
        dt = ts[i + 1] - ts[i]
        y = ys[-1]
        k1 = f(ts[i], y)
        k2 = f(ts[i] + dt / 2, y + dt / 2 * k1)
        k3 = f(ts[i] + dt / 2, y + dt / 2 * k2)
        k4 = f(ts[i] + dt, y + dt * k3)
        ys.append(y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
    return torch.stack(ys, 1)


SOLVERS = {'euler': euler, 'rk4': rk4}


class LatentODE(nn.Module):
    def __init__(self, args, obs=2):
        super().__init__()
        self.rnn = nn.GRU(obs, args.nhidden, batch_first=True)
        self.to_z = nn.Linear(args.nhidden, 2 * args.latent)
        self.func = ODEFunc(args.latent, args.nhidden)
        self.dec = nn.Linear(args.latent, obs)
        self.solver = SOLVERS[args.method]

    def forward(self, x, ts):
        _, h = self.rnn(x.flip(1))
        mean, logvar = self.to_z(h[0]).chunk(2, dim=1)
        z0 = mean + torch.randn_like(mean) * torch.exp(0.5 * logvar)
        zs = self.solver(self.func, z0, ts)
        return self.dec(zs), mean, logvar


def spirals(n, T, noise):
    ts = torch.linspace(0, 1, T)
    ph = torch.rand(n, 1) * 6.28
    x = torch.stack([torch.cos(6 * ts + ph), torch.sin(6 * ts + ph)], -1)
    x.mul_(1 + ts[None, :, None])
    x.add_(torch.randn_like(x).mul_(noise))
    return x, ts


def train(args, iters):
    net = LatentODE(args)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for _ in range(iters):
        x, ts = spirals(4, 6, args.noise)
        pred, mean, logvar = net(x, ts)
        kl = 0.5 * (mean.pow(2) + logvar.exp() - 1 - logvar).sum(1).mean()
        loss = (pred - x).pow(2).sum((1, 2)).mean() + kl
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net


# --- driver ---
torch.manual_seed(0)
train(parser.parse_args([]), 1)
