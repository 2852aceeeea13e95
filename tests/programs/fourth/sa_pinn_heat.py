import math
from types import SimpleNamespace

import torch
import torch.nn as nn


def grad(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


class SineNet(nn.Module):
    def __init__(self, width=16, w0=2.0):
        super().__init__()
        self.w0 = w0
        self.a, self.b, self.c = nn.Linear(2, width), nn.Linear(width, width), nn.Linear(width, 1)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Linear):
            bound = math.sqrt(6 / m.in_features) / 2
            nn.init.uniform_(m.weight, -bound, bound)
            m.bias.data.zero_()

    def forward(self, x, t):
        h = torch.sin(self.w0 * self.a(torch.cat([x, t], 1)))
        h = torch.sin(self.b(h))
        return self.c(h)


class AdaptiveWeights:
    """Self-adaptive residual weights, raised where the residual stays large."""

    def __init__(self, sizes, lr=0.5):
        self.lr = lr
        self.values = {k: torch.ones(n, 1) for k, n in sizes.items()}

    def weighted(self, key, residual):
        return (self.values[key] * residual ** 2).mean()

    def ascend(self, residuals):
        with torch.no_grad():
            for key, res in residuals.items():
                self.values[key] += self.lr * res.detach() ** 2  # BUG

    def state_dict(self):
        return {k: v.clone() for k, v in self.values.items()}


class HeatProblem:
    alpha = 0.1

    def __init__(self, n_f, n_b, n_0, seed=0):
        g = torch.Generator().manual_seed(seed)
        u = lambda n: torch.rand(n, 1, generator=g)
        self.xf, self.tf = u(n_f).requires_grad_(), u(n_f).requires_grad_()
        self.xb, self.tb = (u(n_b) > 0.5).float(), u(n_b)
        self.x0, self.t0 = u(n_0), torch.zeros(n_0, 1)
        self.sizes = {"pde": n_f, "bc": n_b, "ic": n_0}

    def residuals(self, net):
        u = net(self.xf, self.tf)
        u_t, u_x = grad(u, self.tf), grad(u, self.xf)
        u_xx = grad(u_x, self.xf)
        return {
            "pde": u_t - self.alpha * u_xx,
            "bc": net(self.xb, self.tb),
            "ic": net(self.x0, self.t0) - torch.sin(math.pi * self.x0),
        }


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.net = SineNet(cfg.width)
        self.problem = HeatProblem(cfg.n_f, cfg.n_b, cfg.n_0)
        self.weights = AdaptiveWeights(self.problem.sizes, cfg.lr_w)
        self.opt = torch.optim.Adam(self.net.parameters(), cfg.lr)

    def step(self):
        res = self.problem.residuals(self.net)
        loss = sum(self.weights.weighted(k, r) for k, r in res.items())
        self.weights.ascend(res)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
trainer = Trainer(SimpleNamespace(width=8, n_f=10, n_b=6, n_0=6, lr=1e-3, lr_w=0.1))
for _ in range(2):
    trainer.step()
