import copy
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextmanager
def frozen(*modules):
    flags = [(p, p.requires_grad) for m in modules for p in m.parameters()]
    for p, _ in flags:
        p.requires_grad_(False)
    try:
        yield
    finally:
        for p, f in flags:
            p.requires_grad_(f)


class ResBlockG(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.bn = nn.BatchNorm1d(dim)

    def forward(self, x):
        h = self.fc2(F.relu_(self.bn(self.fc1(x))))
        h *= 0.5
        h += x
        return h


class G(nn.Module):
    def __init__(self, nz, dim, out):
        super().__init__()
        self.nz = nz
        self.net = nn.Sequential(nn.Linear(nz, dim), ResBlockG(dim), ResBlockG(dim), nn.Linear(dim, out))

    def forward(self, n):
        return torch.tanh(self.net(torch.empty(n, self.nz).normal_()))


class D(nn.Module):
    def __init__(self, in_dim, dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(in_dim, dim), nn.LeakyReLU(0.2, True), nn.Linear(dim, dim), nn.LeakyReLU(0.2, True), nn.Linear(dim, 1)
        )

    def forward(self, x):
        return self.net(x).squeeze(1)


class WGANTrainer:
    def __init__(self, g, d, clip=0.02, n_critic=2, ema=0.9):
        self.g, self.d = g, d
        self.g_ema = copy.deepcopy(g).requires_grad_(False)
        self.clip, self.n_critic, self.ema = clip, n_critic, ema
        self.opt_g = torch.optim.RMSprop(g.parameters(), lr=1e-3)
        self.opt_d = torch.optim.RMSprop(d.parameters(), lr=1e-3)

    @torch.no_grad()
    def _clip(self):
        for p in self.d.parameters():
            p.clamp_(-self.clip, self.clip)

    @torch.no_grad()
    def _ema(self):
        for a, b in zip(self.g_ema.state_dict().values(), self.g.state_dict().values()):
            if a.is_floating_point():
                a.lerp_(b, 1 - self.ema)
            else:
                a.copy_(b)

    def critic(self, real):
        fake = self.g(len(real)).detach()
        fake += 0.01 * torch.randn_like(fake)
        loss = self.d(fake).mean() - self.d(real).mean()
        self.opt_d.zero_grad()
        loss.backward()
        self.opt_d.step()
        self._clip()

    def generator(self, n):
        with frozen(self.d):
            loss = -self.d(self.g(n)).mean()
            self.opt_g.zero_grad()
            loss.backward()
        self.opt_g.step()
        self._ema()

    def fit(self, batches):
        for i, real in enumerate(batches, 1):
            self.critic(real)
            if i % self.n_critic == 0:
                self.generator(len(real))


# --- driver ---
torch.manual_seed(0)
trainer = WGANTrainer(G(4, 8, 3), D(3, 8))
trainer.fit([torch.randn(4, 3) for _ in range(4)])
