"""Deep equilibrium model: Anderson acceleration finds the fixed point, gradients by an implicit backward solve."""
import torch
from torch import nn
import torch.nn.functional as F


def anderson(f, x0, m=4, iters=15, tol=1e-4, lam=1e-4, beta=1.0):
    """Fixed point of f by Anderson mixing, with a rolling window of m iterates."""
    b, d = x0.shape
    X, Y = x0.new_zeros(b, m, d), x0.new_zeros(b, m, d)
    X[:, 0], Y[:, 0] = x0, f(x0)
    X[:, 1], Y[:, 1] = Y[:, 0], f(Y[:, 0])
    H = x0.new_zeros(b, m + 1, m + 1)
    H[:, 0, 1:] = H[:, 1:, 0] = 1
    rhs = x0.new_zeros(b, m + 1, 1)
    rhs[:, 0] = 1
    for k in range(2, iters):
        n = min(k, m)
        G = Y[:, :n] - X[:, :n]
        H[:, 1:n + 1, 1:n + 1] = G @ G.mT
        H[:, 1:n + 1, 1:n + 1].diagonal(dim1=1, dim2=2).add_(lam)
        a = torch.linalg.solve(H[:, :n + 1, :n + 1], rhs[:, :n + 1])[:, 1:, 0]
        slot = k % m
        X[:, slot] = beta * (a.unsqueeze(1) @ Y[:, :n]).squeeze(1) + (1 - beta) * (a.unsqueeze(1) @ X[:, :n]).squeeze(1)
        Y[:, slot] = f(X[:, slot])
        gap = (Y[:, slot] - X[:, slot]).norm() / Y[:, slot].norm().clamp_min(1e-6)
        if gap < tol:
            break
    return Y[:, slot].clone()


class Cell(nn.Module):
    def __init__(self, n_in, dim):
        super().__init__()
        self.inject = nn.Linear(n_in, dim)
        self.mix = nn.Linear(dim, dim, bias=False)
        self.norm = nn.LayerNorm(dim)

    def forward(self, z, x):
        return torch.tanh(self.norm(self.mix(z) + x))

    @torch.no_grad()
    def contract(self, limit=0.9):
        size = torch.linalg.matrix_norm(self.mix.weight, 2)
        self.mix.weight.mul_((limit / size).clamp(max=1.0))


class DEQ(nn.Module):
    def __init__(self, n_in, dim=16):
        super().__init__()
        self.cell, self.dim = Cell(n_in, dim), dim

    def forward(self, x):
        u = self.cell.inject(x)
        with torch.no_grad():
            z = anderson(lambda z: self.cell(z, u), x.new_zeros(len(x), self.dim))
        z = self.cell(z, u)
        if self.training:
            z0 = z.detach().requires_grad_()
            f0 = self.cell(z0, u.detach())

            def implicit(grad):
                pull = lambda g: torch.autograd.grad(f0, z0, g, retain_graph=True)[0].add_(grad)
                return anderson(pull, torch.zeros_like(grad), iters=10)

            z.register_hook(implicit)
        return z


class Forecaster(nn.Module):
    def __init__(self, lags, horizon):
        super().__init__()
        self.deq = DEQ(lags)
        self.out = nn.Linear(16, horizon)

    def forward(self, x):
        level = x.mean(1, keepdim=True)
        return self.out(self.deq(x - level)) + level


def logistic_maps(n, length):
    x = torch.rand(n)
    out = torch.empty(n, length)
    for t in range(length):
        x = 3.7 * x * (1 - x)
        out[:, t] = x
    return out


# --- driver ---
torch.manual_seed(0)
model = Forecaster(8, 2)
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for _ in range(4):
    data = logistic_maps(16, 10)
    opt.zero_grad()
    loss = F.mse_loss(model(data[:, :8]), data[:, 8:])
    loss.backward()
    opt.step()
    model.deq.cell.contract()
    print(loss.item())
