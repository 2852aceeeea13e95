"""Stein variational gradient descent over the weights of a small network: particles as rows of one matrix."""
import math

import torch
from torch import nn
from torch.func import functional_call, vmap


class ParticleNet:
    """Views a matrix of flat parameters as many copies of one module."""

    def __init__(self, module: nn.Module, n: int, spread=0.5):
        self.module = module.requires_grad_(False)
        self.shapes = {k: p.shape for k, p in module.named_parameters()}
        self.sizes = [s.numel() for s in self.shapes.values()]
        self.theta = spread * torch.randn(n, sum(self.sizes))

    def unflatten(self, row):
        return {k: v.view(s) for (k, s), v in zip(self.shapes.items(), row.split(self.sizes))}

    def predict_one(self, row, x):
        return functional_call(self.module, self.unflatten(row), (x,)).squeeze(-1)

    def predict(self, x):
        return vmap(self.predict_one, in_dims=(0, None))(self.theta, x)


class RBF:
    def __call__(self, theta):
        d2 = torch.cdist(theta, theta).square_()
        n = len(theta)
        h = d2[~torch.eye(n, dtype=torch.bool)].median() / math.log(n + 1)
        k = torch.exp(-d2 / h)
        repulse = 2 / h * (theta * k.sum(1, keepdim=True) - k @ theta)
        return k, repulse


class SVGD:
    def __init__(self, particles, log_joint, lr=1e-2, decay=0.9, kernel=None):
        self.p, self.log_joint = particles, log_joint
        self.kernel = kernel or RBF()
        self.lr, self.decay = lr, decay
        self.second = None

    def step(self, x, y):
        theta = self.p.theta.clone().requires_grad_()
        value = vmap(lambda row: self.log_joint(row, x, y))(theta)
        (score,) = torch.autograd.grad(value.sum(), theta)
        k, repulse = self.kernel(self.p.theta)
        phi = k @ score
        phi.add_(repulse).div_(len(score))
        if self.second is None:
            self.second = phi.square()
        else:
            self.second.mul_(self.decay).addcmul_(phi, phi, value=1 - self.decay)
        self.p.theta.addcdiv_(phi, self.second.sqrt().add_(1e-6), value=self.lr)
        return value.mean().item()


def make_log_joint(particles, n_data, noise=0.2, prior=1.0):
    def log_joint(row, x, y):
        err = (particles.predict_one(row, x) - y) / noise
        lik = -0.5 * err.square().mean() * n_data
        return lik - 0.5 * (row / prior).square().sum()
    return log_joint


class Recalibrate(nn.Module):
    """Scales the predictive spread of the particles to the residuals on held-out points."""

    def __init__(self):
        super().__init__()
        self.log_s = nn.Parameter(torch.zeros(()))
        self.floor = nn.Parameter(torch.tensor(-2.0))

    def forward(self, mean, std):
        spread = std * self.log_s.exp()
        spread += self.floor.exp()
        return torch.distributions.Normal(mean, spread)

    def fit(self, preds, y, steps=10):
        opt = torch.optim.Adam(self.parameters(), lr=0.1)
        mean, std = preds.mean(0), preds.std(0)
        for _ in range(steps):
            opt.zero_grad()
            nll = -self(mean, std).log_prob(y).mean()
            nll.backward()
            opt.step()
            with torch.no_grad():
                self.log_s.clamp_(-3, 3)
        return nll.item()


# --- driver ---
torch.manual_seed(0)
x = torch.rand(40, 1) * 4 - 2
y = torch.sin(2 * x).squeeze(1) + 0.2 * torch.randn(40)
particles = ParticleNet(nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1)), n=8)
algo = SVGD(particles, make_log_joint(particles, n_data=30))
for _ in range(10):
    value = algo.step(x[:30], y[:30])
print(value, Recalibrate().fit(particles.predict(x[30:]), y[30:]))
