"""Additive/affine flow (NICE-like) with LU-parameterised mixing and masks."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LUMixing(nn.Module):
    def __init__(self, dim):
        super().__init__()
        w = torch.linalg.qr(torch.randn(dim, dim)).Q
        p, l, u = torch.linalg.lu(w)
        self.register_buffer("p", p)
        self.lower = nn.Parameter(l.tril(-1))
        self.upper = nn.Parameter(u.triu(1))
        self.log_s = nn.Parameter(u.diagonal().abs().log())
        self.register_buffer("sign", u.diagonal().sign())
        self.register_buffer("eye", torch.eye(dim))

    def weight(self):
        l = self.lower.tril(-1) + self.eye
        u = self.upper.triu(1)
        u += torch.diag(self.sign * self.log_s.exp())
        return self.p @ l @ u

    def forward(self, x):
        return x @ self.weight().t(), self.log_s.sum().expand(x.size(0))


class MaskedCoupling(nn.Module):
    def __init__(self, dim, parity, hidden=24):
        super().__init__()
        mask = torch.zeros(dim)
        mask[parity::2] = 1.0
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(
            nn.Linear(dim, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, 2 * dim),
        )
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        kept = x * self.mask
        t, s = self.net(kept).chunk(2, dim=-1)
        s = torch.tanh(s) * (1 - self.mask)
        y = x * s.exp()
        y += t * (1 - self.mask)
        return y, s.sum(-1)


class Logit(nn.Module):
    def __init__(self, alpha=0.05):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        x = x.clone()
        x.mul_(1 - 2 * self.alpha).add_(self.alpha)
        z = torch.log(x) - torch.log1p(-x)
        ld = F.softplus(-z) + F.softplus(z)
        return z, ld.sum(-1)


class FlowStack(nn.Module):
    def __init__(self, dim, depth=3):
        super().__init__()
        mods = [Logit()]
        for i in range(depth):
            mods.extend((LUMixing(dim), MaskedCoupling(dim, i % 2)))
        self.mods = nn.ModuleList(mods)

    def forward(self, x):
        total = torch.zeros(x.size(0))
        for m in self.mods:
            x, ld = m(x)
            total += ld
        return x, total

    def nll(self, x):
        z, ld = self(x)
        logp = torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(-1)
        logp += ld
        return -logp.mean()


def train(flow, loader, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    best = float("inf")
    for x in loader:
        loss = flow.nll(x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        best = min(best, loss.item())
    return best


# --- driver ---
torch.manual_seed(0)
train(FlowStack(6), [torch.rand(8, 6) for _ in range(2)])
