"""Critic with power iteration kept in buffers."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def l2n(v, eps=1e-12):
    return v / (v.norm() + eps)


class SNLinear(nn.Module):
    """Linear layer divided by an estimate of its largest singular value."""

    def __init__(self, fin, fout, iters=1):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(fout, fin))
        self.bias = nn.Parameter(torch.zeros(fout))
        nn.init.orthogonal_(self.weight, gain=1.5)
        self.iters = iters
        self.register_buffer("u", l2n(torch.randn(fout)))
        self.register_buffer("v", l2n(torch.randn(fin)))

    @torch.no_grad()
    def power_iteration(self):
        for _ in range(self.iters):
            self.v = l2n(self.weight.t() @ self.u)
            self.u.copy_(l2n(self.weight @ self.v))  # BUG

    @property
    def sigma(self):
        return torch.dot(self.u, self.weight @ self.v)

    def forward(self, x):
        if self.training:
            self.power_iteration()
        return F.linear(x, self.weight / self.sigma, self.bias)


class Critic(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.layers = nn.ModuleList([SNLinear(dim, hidden), SNLinear(hidden, hidden), SNLinear(hidden, 1)])

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = F.leaky_relu(layer(x), 0.1)
        return self.layers[-1](x).squeeze(-1)


class RingData:
    def __init__(self, modes, std=0.05):
        ang = torch.arange(modes) * (2 * torch.pi / modes)
        self.centres = torch.stack([ang.cos(), ang.sin()], -1)
        self.std = std

    def draw(self, n):
        pick = torch.randint(0, len(self.centres), (n,))
        return self.centres[pick] + self.std * torch.randn(n, 2)


class CriticTrainer:
    def __init__(self, critic, data, lr=1e-4, betas=(0.0, 0.9)):
        self.critic, self.data = critic, data
        self.opt = torch.optim.Adam(critic.parameters(), lr=lr, betas=betas)

    def gap(self, n):
        real = self.critic(self.data.draw(n))
        fake = self.critic(torch.randn(n, 2))
        return F.relu(1 - real).mean() + F.relu(1 + fake).mean()

    def step(self, n=16):
        loss = self.gap(n)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(27)
trainer = CriticTrainer(Critic(2, 8), RingData(8))
for _ in range(2):
    trainer.step()
