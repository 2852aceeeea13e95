"""Wasserstein GAN with weight clipping for tabular data."""
import torch
import torch.nn as nn


class Residual(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.fc = nn.Linear(i, o)
        self.bn = nn.BatchNorm1d(o)

    def forward(self, x):
        out = torch.relu(self.bn(self.fc(x)))
        return torch.cat([out, x], dim=1)


class Generator(nn.Module):
    def __init__(self, z_dim, dims, out):
        super().__init__()
        seq, d = [], z_dim
        for item in dims:
            seq.append(Residual(d, item))
            d += item
        seq.append(nn.Linear(d, out))
        self.seq = nn.Sequential(*seq)

    def forward(self, z):
        return torch.tanh(self.seq(z))


class Critic(nn.Module):
    def __init__(self, inp, dims, pac=2):
        super().__init__()
        self.pac = pac
        self.pacdim = inp * pac
        seq, d = [], self.pacdim
        for item in dims:
            seq += [nn.Linear(d, item), nn.LeakyReLU(0.2)]
            d = item
        seq.append(nn.Linear(d, 1))
        self.seq = nn.Sequential(*seq)

    def forward(self, x):
        return self.seq(x.view(-1, self.pacdim))


class WGAN:
    def __init__(self, n_features, z_dim=8, clip=0.05, n_critic=2):
        self.z_dim, self.clip, self.n_critic = z_dim, clip, n_critic
        self.gen = Generator(z_dim, (16, 16), n_features)
        self.critic = Critic(n_features, (32, 32))
        self.opt_g = torch.optim.RMSprop(self.gen.parameters(), lr=5e-5)
        self.opt_c = torch.optim.RMSprop(self.critic.parameters(), lr=5e-5)

    def noise(self, n):
        return torch.randn(n, self.z_dim)

    def clip_weights(self):
        with torch.no_grad():
            for p in self.critic.parameters():
                p.clamp_(-self.clip, self.clip)  # BUG

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.gen(self.noise(real.size(0)))
        score_real = self.critic(real)
        score_fake = self.critic(fake)
        loss = score_fake.mean() - score_real.mean()
        self.clip_weights()
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return loss.item()

    def generator_step(self, n):
        loss = -self.critic(self.gen(self.noise(n))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.item()

    def fit(self, loader):
        for i, real in enumerate(loader):
            self.critic_step(real)
            if (i + 1) % self.n_critic == 0:
                self.generator_step(real.size(0))


# --- driver ---
torch.manual_seed(0)
WGAN(6).fit([torch.randn(8, 6) for _ in range(2)])
