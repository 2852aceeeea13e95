"""Regression with Gaussian weight noise during the forward pass."""
import contextlib
import torch
import torch.nn as nn


class WeightNoise:
    def __init__(self, module: nn.Module, sigma: float):
        self.params = [p for p in module.parameters() if p.dim() > 1]
        self.sigma = sigma
        self.noise = []

    def push(self):
        self.noise = [torch.randn_like(p) * self.sigma for p in self.params]
        for p, n in zip(self.params, self.noise):
            p.data.add_(n)

    def pop(self):
        for p, n in zip(self.params, self.noise):
            p.data.sub_(n)  # BUG silent
        self.noise.clear()

    @contextlib.contextmanager
    def active(self):
        self.push()
        try:
            yield
        finally:
            self.pop()


class HeteroscedasticMLP(nn.Module):
    def __init__(self, d_in, width):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.mu = nn.Linear(width, 1)
        self.log_var = nn.Linear(width, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mu(h).squeeze(-1), self.log_var(h).squeeze(-1).clamp(-6, 6)


def gaussian_nll(mu, log_var, y):
    return 0.5 * (log_var + (y - mu).pow(2) * torch.exp(-log_var)).mean()


class Standardiser:
    def fit(self, x):
        self.mean, self.std = x.mean(0), x.std(0).clamp_(min=1e-6)
        return self

    def __call__(self, x):
        out = x.clone()
        out -= self.mean
        out /= self.std
        return out


class Regressor:
    def __init__(self, d_in, width=16, sigma=0.3, lr=1e-2, samples=2):
        self.net = HeteroscedasticMLP(d_in, width)
        self.noise = WeightNoise(self.net, sigma)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.samples = samples
        self.scaler = Standardiser()

    def partial_fit(self, x, y):
        x = self.scaler.fit(x)(x)
        self.opt.zero_grad()
        total = 0.0
        for _ in range(self.samples):
            with self.noise.active():
                mu, lv = self.net(x)
                loss = gaussian_nll(mu, lv, y) / self.samples
            loss.backward()
            total += loss.item()
        self.opt.step()
        return total

    @torch.no_grad()
    def predict(self, x, n=8):
        x = self.scaler(x)
        draws = torch.empty(n, x.size(0))
        for i in range(n):
            with self.noise.active():
                draws[i] = self.net(x)[0]
        return draws.mean(0), draws.std(0)


# --- driver ---
torch.manual_seed(0)
x = torch.randn(12, 3)
y = x[:, 0] * 2 - x[:, 1]
reg = Regressor(3)
reg.partial_fit(x, y)
reg.predict(x)
