"""Mean-field variational regression (Bayes by backprop); noise lives in buffers so that it moves with the module."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class GaussianWeight(nn.Module):
    def __init__(self, *shape, prior_std=1.0, rho=-4.0):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(*shape) / math.sqrt(shape[-1]))
        self.rho = nn.Parameter(torch.full(shape, rho))
        self.register_buffer("eps", torch.zeros(*shape), persistent=False)
        self.prior_std = prior_std

    @property
    def sigma(self):
        return F.softplus(self.rho)

    def resample(self):
        self.eps.normal_()  # BUG

    def sample(self):
        return self.mu + self.sigma * self.eps

    def kl(self):
        s, p = self.sigma, self.prior_std
        return (math.log(p) - s.log() + (s ** 2 + self.mu ** 2) / (2 * p ** 2) - 0.5).sum()


class BayesLinear(nn.Module):
    def __init__(self, n_in, n_out, **kw):
        super().__init__()
        self.weight = GaussianWeight(n_out, n_in, **kw)
        self.bias = GaussianWeight(n_out, **kw)

    def forward(self, x):
        return F.linear(x, self.weight.sample(), self.bias.sample())


class BayesNet(nn.Module):
    def __init__(self, dims, **kw):
        super().__init__()
        self.layers = nn.ModuleList([BayesLinear(i, o, **kw) for i, o in zip(dims, dims[1:])])
        self.log_noise = nn.Parameter(torch.tensor(-1.0))

    def weights(self):
        return (m for m in self.modules() if isinstance(m, GaussianWeight))

    def draw(self):
        for w in self.weights():
            w.resample()
        return self

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.tanh(layer(x))
        return self.layers[-1](x).squeeze(-1)

    def log_lik(self, x, y):
        noise = self.log_noise.exp()
        return torch.distributions.Normal(self(x), noise).log_prob(y).sum()

    def kl(self):
        return sum(w.kl() for w in self.weights())


def elbo(net, x, y, n_total, samples=3):
    """Monte Carlo estimate over several weight draws for one minibatch."""
    ll = sum(net.draw().log_lik(x, y) for _ in range(samples)) / samples
    return ll * (n_total / len(x)) - net.kl()


@torch.no_grad()
def predictive(net, x, samples=20):
    ys = torch.stack([net.draw()(x) for _ in range(samples)])
    return ys.mean(0), ys.std(0)


# --- driver ---
torch.manual_seed(0)
X = torch.rand(60, 1) * 4 - 2
Y = (X ** 3).squeeze(1) + 0.1 * torch.randn(60)
net = BayesNet([1, 16, 1])
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for idx in torch.randperm(60).split(20):
    opt.zero_grad()
    loss = -elbo(net, X[idx], Y[idx], 60) / 60
    loss.backward()
    opt.step()
print(predictive(net, X[:4]))
