import itertools
import torch
import torch.nn as nn


def mlp(sizes, act=nn.LeakyReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act())
    return nn.Sequential(*layers)


class Critic(nn.Module):
    def __init__(self, dim, clip):
        super().__init__()
        self.f = mlp([dim, 16, 16, 1])
        self.clip = clip

    def forward(self, x):
        return self.f(x).view(-1)

    def project(self):
        """Keep the critic K-Lipschitz."""
        with torch.no_grad():
            for p in self.parameters():
                p.clamp_(-self.clip, self.clip)  # BUG


class Generator(nn.Module):
    def __init__(self, nz, dim):
        super().__init__()
        self.nz = nz
        self.g = mlp([nz, 16, dim], nn.ReLU)

    def forward(self, n):
        return self.g(torch.randn(n, self.nz))


class Mixture:
    def __init__(self, k=5, radius=2.0, std=0.05):
        angles = torch.arange(k) * (2 * torch.pi / k)
        self.centres = torch.stack([angles.cos(), angles.sin()], 1).mul_(radius)
        self.std = std

    def __iter__(self):
        return self

    def __next__(self):
        idx = torch.randint(len(self.centres), (16,))
        return self.centres[idx].add_(self.std * torch.randn(16, 2))


class WGAN:
    def __init__(self, dim=2, nz=3, clip=0.01, n_critic=2, lr=5e-5):
        self.critic = Critic(dim, clip)
        self.gen = Generator(nz, dim)
        self.n_critic = n_critic
        self.opt_c = torch.optim.RMSprop(self.critic.parameters(), lr=lr)
        self.opt_g = torch.optim.RMSprop(self.gen.parameters(), lr=lr)
        self.gaps = []

    def critic_loss(self, real):
        with torch.no_grad():
            fake = self.gen(real.size(0))
        gap = self.critic(real).mean() - self.critic(fake).mean()
        self.gaps.append(gap.item())
        return -gap

    def train_critic(self, real):
        self.opt_c.zero_grad()
        loss = self.critic_loss(real)
        self.critic.project()
        loss.backward()
        self.opt_c.step()

    def train_generator(self, n):
        self.opt_g.zero_grad()
        loss = -self.critic(self.gen(n)).mean()
        loss.backward()
        self.opt_g.step()

    def run(self, data, iters):
        for _ in range(iters):
            for real in itertools.islice(data, self.n_critic):
                self.train_critic(real)
            self.train_generator(16)


# --- driver ---
torch.manual_seed(0)
WGAN().run(Mixture(), 1)
