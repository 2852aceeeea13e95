"""Latent ODE for irregular series with a fixed-grid integrator."""
import abc
import torch
import torch.nn as nn


class ODEFunc(nn.Module):
    def __init__(self, dim, width):
        super().__init__()
        self.lin1 = nn.Linear(dim, width)
        self.lin2 = nn.Linear(width, dim)
        for m in (self.lin1, self.lin2):
            nn.init.normal_(m.weight, std=0.1)
            nn.init.constant_(m.bias, 0)
        self.nfe = 0

    def forward(self, t, y):
        self.nfe += 1
        return self.lin2(torch.tanh(self.lin1(y)))


class Integrator(abc.ABC):
    order = 0

    def __init__(self, func):
        self.func = func

    @abc.abstractmethod
    def increment(self, t, dt, y):
        ...

    def solve(self, y0, ts):
        sol = y0.new_zeros((len(ts),) + tuple(y0.shape))
        sol[0] = y0
        for i in range(len(ts) - 1):
            t, dt = ts[i], ts[i + 1] - ts[i]
            y = sol[i]
            sol[i + 1] = y + self.increment(t, dt, y)  # BUG
        return sol


class Euler(Integrator):
    order = 1

    def increment(self, t, dt, y):
        return dt * self.func(t, y)


class Heun(Integrator):
    order = 2

    def increment(self, t, dt, y):
        k1 = self.func(t, y)
        k2 = self.func(t + dt, y + dt * k1)
        return 0.5 * dt * (k1 + k2)


SOLVERS = {"euler": Euler, "heun": Heun}


class LatentODE(nn.Module):
    def __init__(self, obs_dim, latent_dim, width=16, solver="heun"):
        super().__init__()
        self.enc = nn.GRU(obs_dim, latent_dim, batch_first=True)
        self.func = ODEFunc(latent_dim, width)
        self.dec = nn.Linear(latent_dim, obs_dim)
        self.solver = SOLVERS[solver](self.func)

    def forward(self, x, ts):
        _, h = self.enc(x.flip(1))
        z = self.solver.solve(h[0], ts)
        return self.dec(z).transpose(0, 1)


def spirals(n, steps):
    ts = torch.linspace(0, 1, steps)
    phase = torch.rand(n, 1) * 6.28
    r = 0.5 + ts
    return torch.stack((r * torch.cos(6 * ts + phase), r * torch.sin(6 * ts + phase)), -1), ts


def train(model, n_iter, lr=1e-2):
    opt = torch.optim.Adamax(model.parameters(), lr=lr)
    hist = []
    for _ in range(n_iter):
        x, ts = spirals(4, 7)
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x, ts), x)
        loss.backward()
        opt.step()
        hist.append(loss.item())
    return hist


# --- driver ---
torch.manual_seed(0)
train(LatentODE(2, 4), 1)
