"""Wave equation PINN. Collocation points are themselves moved towards large residuals every few steps,
and the loss terms are balanced by the ratio of gradient norms."""
import math
import torch
import torch.nn as nn


def d(y, x, i):
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0][:, i : i + 1]


class Sine(nn.Module):
    def __init__(self, w0=1.0):
        super().__init__()
        self.w0 = w0

    def forward(self, x):
        return torch.sin(self.w0 * x)


def siren(width=24, depth=2):
    mods = [nn.Linear(2, width), Sine(3.0)]
    for _ in range(depth - 1):
        mods += [nn.Linear(width, width), Sine()]
    net = nn.Sequential(*mods, nn.Linear(width, 1))
    with torch.no_grad():
        net[0].weight.uniform_(-1, 1).div_(2)
        net[-1].bias.zero_()
    return net


class Collocation:
    def __init__(self, n, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.pts = torch.rand(n, 2, generator=self.gen).requires_grad_(True)

    @torch.no_grad()
    def ascend(self, grad, rate):
        self.pts.add_(grad.sign(), alpha=rate).clamp_(0.0, 1.0)

    @torch.no_grad()
    def refresh(self, residual, fraction=0.2):
        k = int(fraction * len(self.pts))
        worst = residual.abs().flatten().argsort()[:k]
        self.pts[worst] = torch.rand(k, 2, generator=self.gen)


class WavePINN:
    def __init__(self, n=64, c=1.0):
        self.net, self.c = siren(), c
        self.col = Collocation(n, 0)
        self.lam = torch.ones(())
        self.opt = torch.optim.Adam(self.net.parameters(), 2e-3)

    def residual(self):
        u = self.net(self.col.pts)
        return d(d(u, self.col.pts, 1), self.col.pts, 1) - self.c**2 * d(d(u, self.col.pts, 0), self.col.pts, 0)

    def boundary(self, n=16):
        x = torch.linspace(0, 1, n)[:, None]
        at0 = self.net(torch.cat([x, torch.zeros_like(x)], 1))
        return (at0 - torch.sin(math.pi * x)).square().mean()

    def balance(self, pde, bc):
        w = self.net[-1].weight
        gp = torch.autograd.grad(pde, w, retain_graph=True)[0].norm()
        gb = torch.autograd.grad(bc, w, retain_graph=True)[0].norm()
        self.lam = self.lam * 0.9 + 0.1 * (gp / (gb + 1e-8))

    def step(self, k):
        r = self.residual()
        pde, bc = r.square().mean(), self.boundary()
        self.balance(pde, bc)
        self.opt.zero_grad()
        self.col.pts.grad = None
        (pde + self.lam * bc).backward()
        self.opt.step()
        self.col.ascend(self.col.pts.grad, 1e-2)
        if k % 2:
            self.col.refresh(r.detach())
        return pde.item(), bc.item()


# --- driver ---
torch.manual_seed(8)
pinn = WavePINN()
for k in range(5):
    print(pinn.step(k))
