"""1-D heat equation PINN, initial and boundary data imposed on the network output."""
import math
import torch
from torch import nn
from torch.autograd import grad
import logging

log = logging.getLogger("pinn")


class TanhMLP(nn.Module):
    def __init__(self, widths=(2, 24, 24, 1)):
        super().__init__()
        self.lin = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, widths[1:]))

    def forward(self, xt):
        for layer in self.lin:
            xt = torch.tanh(layer(xt))
        return xt


class Domain:
    def __init__(self, nx, nt, alpha=0.05):
        self.alpha = alpha
        x = torch.linspace(0, 1, nx)
        t = torch.linspace(0, 1, nt)
        X, T = torch.meshgrid(x, t, indexing="ij")
        self.pts = torch.stack([X.reshape(-1), T.reshape(-1)], -1)
        self.wall = (self.pts[:, 0] == 0) | (self.pts[:, 0] == 1)
        self.start = self.pts[:, 1] == 0

    def initial(self):
        return torch.sin(math.pi * self.pts[self.start, 0])

    def impose(self, u):
        u[self.wall] = 0.0  # BUG
        return u


class HeatProblem:
    def __init__(self, net, domain, weights=(1.0, 10.0)):
        self.net, self.dom, self.w = net, domain, weights

    def solution(self, pts):
        return self.dom.impose(self.net(pts).squeeze(-1))

    def residual(self, u, pts):
        du = grad(u.sum(), pts, create_graph=True)[0]
        uxx = grad(du[:, 0].sum(), pts, create_graph=True)[0][:, 0]
        return du[:, 1] - self.dom.alpha * uxx

    def losses(self):
        pts = self.dom.pts.clone().requires_grad_(True)
        u = self.solution(pts)
        r = self.residual(u, pts)
        ic = u[self.dom.start] - self.dom.initial()
        return r.square().mean(), ic.square().mean()


def solve(problem, iters, lr=1e-3):
    opt = torch.optim.Adam(problem.net.parameters(), lr=lr)
    for it in range(iters):
        opt.zero_grad()
        parts = problem.losses()
        total = sum(w * p for w, p in zip(problem.w, parts))
        total.backward()
        opt.step()
        log.info("%d %s", it, [round(p.item(), 4) for p in parts])
    return total.item()


# --- driver ---
logging.basicConfig(level=logging.INFO)
torch.manual_seed(7)
print(solve(HeatProblem(TanhMLP(), Domain(9, 7)), iters=4))
