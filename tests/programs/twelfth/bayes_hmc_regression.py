"""Hamiltonian Monte Carlo over the weights of a small network, with a learned diagonal preconditioner."""
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch import nn


class LogPosterior:
    def __init__(self, net, x, y, noise=0.2, prior=1.0):
        self.net, self.x, self.y = net, x, y
        self.noise, self.prior = noise, prior
        self.shapes = [(n, p.shape, p.numel()) for n, p in net.named_parameters()]

    def unpack(self, theta):
        out, i = {}, 0
        for name, shape, k in self.shapes:
            out[name] = theta[i : i + k].view(shape)
            i += k
        return out

    def __call__(self, theta):
        pred = torch.func.functional_call(self.net, self.unpack(theta), (self.x,))
        ll = -(pred - self.y).square().sum() / (2 * self.noise**2)
        return ll - theta.square().sum() / (2 * self.prior**2)

    def grad(self, theta):
        theta = theta.detach().requires_grad_()
        lp = self(theta)
        lp.backward()
        return lp.detach(), theta.grad


class HMC:
    def __init__(self, target, eps=5e-3, leaps=6):
        self.target, self.eps, self.leaps = target, eps, leaps
        self.accepted = self.proposed = 0

    def leapfrog(self, q, p, inv_mass):
        q, p = q.clone(), p.clone()
        lp, g = self.target.grad(q)
        p.add_(g, alpha=0.5 * self.eps)
        for i in range(self.leaps):
            q.addcmul_(inv_mass, p, value=self.eps)
            lp, g = self.target.grad(q)
            p.add_(g, alpha=self.eps * (0.5 if i == self.leaps - 1 else 1.0))
        return q, p, lp

    def transition(self, q, inv_mass):
        p = torch.randn_like(q) / inv_mass.sqrt()
        lp0 = self.target.grad(q)[0]
        q1, p1, lp1 = self.leapfrog(q, p, inv_mass)
        kin = lambda m: 0.5 * (m.square() * inv_mass).sum()
        log_a = (lp1 - kin(p1)) - (lp0 - kin(p))
        self.proposed += 1
        if torch.rand(()).log() < log_a:
            self.accepted += 1
            return q1
        return q


class WelfordVariance:
    def __init__(self, n):
        self.n, self.mean, self.m2 = 0, torch.zeros(n), torch.zeros(n)

    def push(self, x):
        self.n += 1
        delta = x - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (x - self.mean)

    def inverse_mass(self):
        if self.n < 3:
            return torch.ones_like(self.mean)
        return (self.m2 / (self.n - 1)).add_(1e-3)


def warm_start(net, x, y, steps=10):
    opt = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=steps)

    def closure():
        opt.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward()
        return loss

    opt.step(closure)


def sample(net, x, y, draws, burn):
    target = LogPosterior(net, x, y)
    hmc, var = HMC(target), WelfordVariance(sum(k for *_, k in target.shapes))
    q = parameters_to_vector(net.parameters()).detach().clone()
    kept = []
    for i in range(burn + draws):
        q = hmc.transition(q, var.inverse_mass())
        var.push(q) if i < burn else kept.append(q.clone())
    vector_to_parameters(torch.stack(kept).mean(0), net.parameters())
    return hmc.accepted / hmc.proposed


# --- driver ---
torch.manual_seed(34)
x = torch.linspace(-2, 2, 24)[:, None]
y = torch.sin(2 * x) + 0.1 * torch.randn_like(x)
mlp = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
warm_start(mlp, x, y)
print(sample(mlp, x, y, draws=4, burn=5))
