import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class ScaleMixturePrior:
    def __init__(self, pi=0.5, s1=1.0, s2=0.1):
        self.pi, self.s1, self.s2 = pi, s1, s2

    def log_prob(self, w):
        a = torch.distributions.Normal(0.0, self.s1).log_prob(w)
        b = torch.distributions.Normal(0.0, self.s2).log_prob(w)
        return torch.logaddexp(a + math.log(self.pi), b + math.log(1 - self.pi)).sum()


class Posterior(nn.Module):
    """Diagonal Gaussian over a weight tensor with a reusable noise buffer."""

    def __init__(self, *shape, rho=-3.0):
        super().__init__()
        self.mu = nn.Parameter(torch.empty(*shape).uniform_(-0.2, 0.2))
        self.rho = nn.Parameter(torch.full(shape, rho))
        self.register_buffer("eps", torch.zeros(*shape), persistent=False)

    @property
    def sigma(self):
        return F.softplus(self.rho)

    def sample(self):
        self.eps.normal_()  # BUG
        return self.mu + self.sigma * self.eps

    def log_prob(self, w):
        return torch.distributions.Normal(self.mu, self.sigma).log_prob(w).sum()


class BayesLinear(nn.Module):
    def __init__(self, d_in, d_out, prior):
        super().__init__()
        self.weight, self.bias = Posterior(d_out, d_in), Posterior(d_out)
        self.prior = prior
        self.kl = torch.zeros(())

    def forward(self, x):
        if not self.training:
            return F.linear(x, self.weight.mu, self.bias.mu)
        w, b = self.weight.sample(), self.bias.sample()
        log_q = self.weight.log_prob(w) + self.bias.log_prob(b)
        self.kl = log_q - self.prior.log_prob(w) - self.prior.log_prob(b)
        return F.linear(x, w, b)


class BayesMLP(nn.Module):
    def __init__(self, dims, prior=None):
        super().__init__()
        prior = prior or ScaleMixturePrior()
        self.layers = nn.ModuleList(BayesLinear(a, b, prior) for a, b in zip(dims, dims[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)

    def complexity(self):
        return sum(layer.kl for layer in self.layers)

    def elbo(self, x, y, n_samples, kl_weight):
        nll, kl = 0.0, 0.0
        for _ in range(n_samples):
            nll = nll + F.mse_loss(self(x), y, reduction="sum")
            kl = kl + self.complexity()
        return (nll + kl_weight * kl) / n_samples


def kl_schedule(n_batches):
    for i in range(n_batches):
        yield 2 ** (n_batches - i - 1) / (2 ** n_batches - 1)


def fit(model, batches, n_samples=2, lr=1e-2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for (x, y), beta in zip(batches, kl_schedule(len(batches))):
        opt.zero_grad()
        loss = model.elbo(x, y, n_samples, beta)
        loss.backward()
        opt.step()
    model.eval()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
x = torch.linspace(-1, 1, 12).unsqueeze(1)
fit(BayesMLP([1, 8, 1]), [(x, torch.sin(3 * x))] * 2)
