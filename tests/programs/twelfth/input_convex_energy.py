"""Input convex network as strain energy density; stress is its gradient with respect to the deformation invariants."""
import torch
from torch import nn


class ConvexLayer(nn.Module):
    def __init__(self, z, x, out):
        super().__init__()
        self.from_z = nn.Linear(z, out, bias=False)
        self.from_x = nn.Linear(x, out)

    def forward(self, z, x):
        return nn.functional.softplus(self.from_z(z) + self.from_x(x))


class ICNN(nn.Module):
    def __init__(self, x, widths=(12, 12)):
        super().__init__()
        self.first = nn.Linear(x, widths[0])
        self.mid = nn.ModuleList(ConvexLayer(a, x, b) for a, b in zip(widths, widths[1:]))
        self.last = nn.Linear(widths[-1], 1, bias=False)

    def convex_weights(self):
        yield self.last.weight
        for m in self.mid:
            yield m.from_z.weight

    def forward(self, x):
        z = nn.functional.softplus(self.first(x))
        for m in self.mid:
            z = m(z, x)
        return self.last(z).squeeze(-1)


class ConvexityGuard:
    """Projects the weights which must not be negative and counts the violations for the log."""

    def __init__(self, net):
        self.net, self.violations = net, 0

    def check(self):
        for w in self.net.convex_weights():
            bad = w.detach() < 0
            self.violations += int(bad.sum())
            w.data[bad] = 0.0  # BUG silent


class Hyperelastic(nn.Module):
    def __init__(self):
        super().__init__()
        self.psi = ICNN(3)
        self.guard = ConvexityGuard(self.psi)
        self.k = nn.Parameter(torch.tensor(1.0))

    @staticmethod
    def invariants(F):
        C = F.mT @ F
        i1 = C.diagonal(dim1=-2, dim2=-1).sum(-1)
        i2 = 0.5 * (i1**2 - (C @ C).diagonal(dim1=-2, dim2=-1).sum(-1))
        return torch.stack([i1 - 3, i2 - 3, torch.linalg.det(F) - 1], -1)

    def energy(self, F):
        inv = self.invariants(F)
        return self.psi(inv) + 0.5 * self.k * inv[:, 2] ** 2

    def stress(self, F):
        if not F.requires_grad:
            F = F.clone().requires_grad_()
        e = self.energy(F)
        P = torch.autograd.grad(e.sum(), F, create_graph=True)[0]
        self.guard.check()
        return P


def neo_hooke(F, mu=0.8, lam=1.2):
    inv_t = torch.linalg.inv(F).mT
    J = torch.linalg.det(F)[:, None, None]
    return mu * (F - inv_t) + lam * J.log() * inv_t


def deformations(n, amount=0.1):
    F = torch.eye(3).repeat(n, 1, 1)
    F += amount * torch.randn(n, 3, 3).clamp_(-1, 1)
    return F


def fit(material, batches, lr=2e-2):
    opt = torch.optim.Adam(material.parameters(), lr)
    for k, F in enumerate(batches):
        loss = (material.stress(F) - neo_hooke(F)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(k, loss.item(), material.guard.violations)


# --- driver ---
torch.manual_seed(51)
fit(Hyperelastic(), [deformations(24) for _ in range(4)])
