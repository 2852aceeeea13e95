import abc
import torch
from torch import nn
from torch.nn import functional as F


class Constraint(nn.Module, abc.ABC):
    """Re-parametrises a weight each time that it is read."""

    @abc.abstractmethod
    def forward(self, w):
        ...


class SpectralConstraint(Constraint):
    def __init__(self, weight, n_iter=1, lipschitz=1.0):
        super().__init__()
        rows, cols = weight.flatten(1).shape
        self.n_iter, self.lip = n_iter, lipschitz
        self.register_buffer("u", F.normalize(torch.randn(rows), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(cols), dim=0))

    @torch.no_grad()
    def power(self, mat):
        for _ in range(self.n_iter):
            torch.mv(mat.t(), self.u, out=self.v)
            self.v.div_(self.v.norm().clamp_(min=1e-12))
            torch.mv(mat, self.v, out=self.u)
            self.u.div_(self.u.norm().clamp_(min=1e-12))

    def forward(self, w):
        mat = w.flatten(1)
        if self.training:
            self.power(mat.detach())
        u, v = self.u.clone(), self.v.clone()
        sigma = torch.dot(u, mat @ v)
        return w * (self.lip / torch.clamp(sigma, min=self.lip))


class ConstrainedLinear(nn.Linear):
    def __init__(self, i, o, **kw):
        super().__init__(i, o)
        self.constraint = SpectralConstraint(self.weight, **kw)

    def forward(self, x):
        return F.linear(x, self.constraint(self.weight), self.bias)


class GroupSort(nn.Module):
    def forward(self, x):
        return x.unflatten(-1, (-1, 2)).sort(-1).values.flatten(-2)


class LipschitzCritic(nn.Module):
    def __init__(self, d, width=32, depth=3):
        super().__init__()
        dims = [d] + [width] * (depth - 1)
        body = []
        for a, b in zip(dims, dims[1:]):
            body += [ConstrainedLinear(a, b, n_iter=2), GroupSort()]
        self.body = nn.Sequential(*body)
        self.out = ConstrainedLinear(width, 1)

    def forward(self, x):
        return self.out(self.body(x)).squeeze(-1)

    @torch.no_grad()
    def empirical_slope(self, a, b):
        return ((self(a) - self(b)).abs() / (a - b).norm(dim=-1)).max().item()


def gaussians(n, d, shift):
    x = torch.randn(n, d)
    x[:, 0] += shift
    return x


def estimate_w1(critic, p, q):
    """Two separate passes through the same layers."""
    return critic(p).mean() - critic(q).mean()


def run(d=4, shift=1.5, steps=6, lr=5e-3):
    critic = LipschitzCritic(d)
    opt = torch.optim.Adam(critic.parameters(), lr=lr, betas=(0.0, 0.9))
    for k in range(steps):
        p, q = gaussians(64, d, shift), gaussians(64, d, 0.0)
        gap = estimate_w1(critic, p, q)
        opt.zero_grad()
        (-gap).backward()
        opt.step()
        critic.eval()
        slope = critic.empirical_slope(p, q)
        critic.train()
        yield k, gap.item(), slope


# --- driver ---
torch.manual_seed(0)
for k, gap, slope in run():
    print(f"{k} W1>={gap:.3f} slope {slope:.3f}")
