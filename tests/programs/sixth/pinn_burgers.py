import numpy as np
import torch
from torch import nn


class Sine(nn.Module):
    def __init__(self, w0=1.0):
        super().__init__()
        self.w0 = w0

    def forward(self, x):
        return torch.sin(self.w0 * x)


class PINN(nn.Module):
    def __init__(self, layers=(2, 16, 16, 1)):
        super().__init__()
        mods = []
        for i, (a, b) in enumerate(zip(layers[:-1], layers[1:])):
            mods.append(nn.Linear(a, b))
            if i < len(layers) - 2:
                mods.append(Sine())
        self.net = nn.Sequential(*mods)

    def forward(self, tx):
        return self.net(tx)


def gradients(u, x):
    return torch.autograd.grad(u, x, grad_outputs=torch.ones_like(u), create_graph=True)[0]


class CollocationSet:
    def __init__(self, n, lo, hi, seed=0):
        self.rng = np.random.default_rng(seed)
        self.lo = torch.tensor(lo, dtype=torch.float32)
        self.hi = torch.tensor(hi, dtype=torch.float32)
        pts = torch.from_numpy(self.rng.random((n, len(lo)))).float()
        pts.mul_(self.hi - self.lo).add_(self.lo)
        self.points = pts.requires_grad_(True)

    def refine(self, residual, jitter=0.05):
        k = max(1, residual.numel() // 4)
        worst = residual.detach().abs().flatten().topk(k).indices
        rest = residual.detach().abs().flatten().topk(k, largest=False).indices
        new = self.points.detach()[worst] + jitter * torch.randn(k, self.points.shape[1])
        new.clamp_(min=self.lo, max=self.hi)
        self.points[rest] = new  # BUG


class BurgersProblem:
    nu = 0.01 / np.pi

    def __init__(self, model, n_col=32, n_ic=16):
        self.model = model
        self.col = CollocationSet(n_col, (0.0, -1.0), (1.0, 1.0))
        x = torch.linspace(-1, 1, n_ic).unsqueeze(1)
        self.ic = torch.cat([torch.zeros_like(x), x], dim=1)
        self.u0 = -torch.sin(np.pi * x)

    def residual(self):
        tx = self.col.points
        u = self.model(tx)
        du = gradients(u, tx)
        u_t, u_x = du[:, :1], du[:, 1:]
        u_xx = gradients(u_x, tx)[:, 1:]
        return u_t + u * u_x - self.nu * u_xx

    def loss(self):
        r = self.residual()
        ic = self.model(self.ic) - self.u0
        return r.pow(2).mean() + ic.pow(2).mean(), r


def train(problem, epochs, refine_every=1, lr=1e-3):
    opt = torch.optim.Adam(problem.model.parameters(), lr=lr)
    log = []
    for ep in range(epochs):
        opt.zero_grad()
        loss, r = problem.loss()
        loss.backward()
        opt.step()
        log.append(float(loss))
        if (ep + 1) % refine_every == 0:
            problem.col.refine(r)
    return log


# --- driver ---
torch.manual_seed(0)
problem = BurgersProblem(PINN())
train(problem, epochs=2)
