"""Consistency training on 2-D point clouds (adjacent noise levels must agree)."""
import torch
from torch import nn


class NoiseEmbedding(nn.Module):
    """Random Fourier features of the noise level."""

    def __init__(self, n_freq, max_batch=64, scale=4.0):
        super().__init__()
        self.register_buffer("freq", scale * torch.randn(n_freq))
        self.register_buffer("work", torch.empty(max_batch, n_freq), persistent=False)

    def forward(self, sigma):
        view = self.work[: sigma.numel()]
        phase = torch.outer(sigma.log() / 4, self.freq)
        torch.cos(phase, out=view)  # BUG
        return view


class ResidualMLP(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a, self.b = nn.Linear(width, width), nn.Linear(width, width)
        self.film = nn.Linear(width, 2 * width)

    def forward(self, h, c):
        gain, shift = self.film(c).chunk(2, -1)
        return h + self.b(torch.nn.functional.silu(self.a(h) * (1 + gain) + shift))


class ConsistencyNet(nn.Module):
    def __init__(self, dim=2, width=32, n_freq=16, sigma_data=0.5, eps=2e-3):
        super().__init__()
        self.sd, self.eps = sigma_data, eps
        self.emb = NoiseEmbedding(n_freq)
        self.gain = nn.Parameter(torch.ones(n_freq))
        self.to_c = nn.Linear(n_freq, width)
        self.inp = nn.Linear(dim, width)
        self.blocks = nn.ModuleList([ResidualMLP(width) for _ in range(2)])
        self.out = nn.Linear(width, dim)

    def conditioning(self, sigma):
        return self.to_c(self.emb(sigma) * self.gain)

    def forward(self, x, sigma):
        s = sigma[:, None]
        skip = self.sd ** 2 / ((s - self.eps) ** 2 + self.sd ** 2)
        scale = self.sd * (s - self.eps) / (s ** 2 + self.sd ** 2).sqrt()
        h, c = self.inp(x), self.conditioning(sigma)
        for block in self.blocks:
            h = block(h, c)
        return skip * x + scale * self.out(h)


def karras(n, lo=2e-3, hi=10.0, rho=7.0):
    ramp = torch.linspace(0, 1, n)
    return (lo ** (1 / rho) + ramp * (hi ** (1 / rho) - lo ** (1 / rho))) ** rho


def pseudo_huber(a, b, c=0.03):
    return ((a - b).pow(2).sum(-1) + c * c).sqrt() - c


def consistency_loss(net, x, sigmas):
    i = torch.randint(0, len(sigmas) - 1, (len(x),))
    z = torch.randn_like(x)
    lo, hi = sigmas[i], sigmas[i + 1]
    student = net(x + hi[:, None] * z, hi)
    with torch.no_grad():
        teacher = net(x + lo[:, None] * z, lo)
    return (pseudo_huber(student, teacher) / (hi - lo)).mean()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    net, sigmas = ConsistencyNet(), karras(10)
    opt = torch.optim.RAdam(net.parameters(), lr=1e-3)
    for step in range(3):
        loss = consistency_loss(net, torch.randn(16, 2), sigmas)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
