import math
import torch
from torch import nn
from torch.autograd import grad

NU = 0.01 / math.pi


class FourierMLP(nn.Module):
    def __init__(self, width=24, n_freq=4):
        super().__init__()
        self.B = nn.Parameter(torch.randn(2, n_freq))
        self.l1 = nn.Linear(2 * n_freq + 2, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, 1)

    def forward(self, tx):
        z = tx @ self.B
        h = torch.cat([tx, z.sin(), z.cos()], 1)
        h = torch.tanh(self.l1(h))
        h = torch.tanh(self.l2(h))
        return self.l3(h)


class Collocation:
    """Interior points; the ones with the lowest residual are moved elsewhere (R3 sampling)."""

    def __init__(self, n):
        self.pts = self.fresh(n).requires_grad_()

    @staticmethod
    def fresh(n):
        return torch.rand(n, 2) * torch.tensor([1.0, 2.0]) - torch.tensor([0.0, 1.0])

    def retain_release(self, residual):
        r = residual.detach().abs().squeeze(1)
        release = r < r.mean()
        with torch.no_grad():
            self.pts[release] = self.fresh(int(release.sum()))  # BUG


class BurgersPINN:
    def __init__(self, net, n_int=64, n_bc=16, lr=1e-3):
        self.net = net
        self.col = Collocation(n_int)
        self.n_bc = n_bc
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.weights = {"pde": 1.0, "ic": 10.0, "bc": 1.0}

    def residual(self):
        tx = self.col.pts
        u = self.net(tx)
        du = grad(u.sum(), tx, create_graph=True)[0]
        ut, ux = du[:, :1], du[:, 1:]
        uxx = grad(ux.sum(), tx, create_graph=True)[0][:, 1:]
        return ut + u * ux - NU * uxx

    def terms(self):
        x = torch.rand(self.n_bc, 1) * 2 - 1
        t = torch.rand(self.n_bc, 1)
        sign = torch.randint(0, 2, (self.n_bc, 1)) * 2.0 - 1
        res = self.residual()
        self.col.retain_release(res)
        yield "pde", res
        yield "ic", self.net(torch.cat([torch.zeros_like(x), x], 1)) + torch.sin(math.pi * x)
        yield "bc", self.net(torch.cat([t, sign], 1))

    def step(self):
        parts = {k: v.square().mean() for k, v in self.terms()}
        total = sum(self.weights[k] * v for k, v in parts.items())
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return {k: v.item() for k, v in parts.items()}


# --- driver ---
torch.manual_seed(0)
solver = BurgersPINN(FourierMLP())
for i in range(3):
    print(i, solver.step())
