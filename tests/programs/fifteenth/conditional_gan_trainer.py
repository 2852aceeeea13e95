"""Class-conditional GAN for small vectors, hinge losses."""
import itertools

import torch
import torch.nn as nn
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, z_dim, n_cls, out_dim, width=32):
        super().__init__()
        self.z_dim = z_dim
        self.label = nn.Embedding(n_cls, z_dim)
        self.net = nn.Sequential(
            nn.Linear(2 * z_dim, width), nn.LeakyReLU(0.2), nn.Linear(width, out_dim), nn.Tanh()
        )

    def forward(self, z, y):
        return self.net(torch.cat([z, self.label(y)], 1))


class Discriminator(nn.Module):
    """Projection discriminator."""

    def __init__(self, n_cls, in_dim, width=32):
        super().__init__()
        self.phi = nn.Sequential(nn.Linear(in_dim, width), nn.LeakyReLU(0.2), nn.Linear(width, width))
        self.psi = nn.Linear(width, 1)
        self.label = nn.Embedding(n_cls, width)

    def forward(self, x, y):
        h = self.phi(x)
        return self.psi(h).squeeze(1) + (h * self.label(y)).sum(1)


class Trainer:
    def __init__(self, gen, disc, **hp):
        self.gen, self.disc = gen, disc
        lr = hp.get("lr", 2e-4)
        betas = hp.get("betas", (0.0, 0.9))
        self.opts = {
            "d": torch.optim.Adam(disc.parameters(), lr=lr * 2, betas=betas),
            "g": torch.optim.Adam(gen.parameters(), lr=lr, betas=betas),
        }
        self.stats = {k: [] for k in self.opts}

    def compute_losses(self, x, y):
        z = torch.randn(len(x), self.gen.z_dim)
        fake = self.gen(z, y)
        d_real, d_fake = self.disc(x, y), self.disc(fake.detach(), y)
        return {
            "d": F.relu(1 - d_real).mean() + F.relu(1 + d_fake).mean(),
            "g": -self.disc(fake, y).mean(),
        }

    def apply(self, name, loss):
        opt = self.opts[name]
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()  # BUG
        self.stats[name].append(float(loss))

    def step(self, x, y):
        for name, loss in self.compute_losses(x, y).items():
            self.apply(name, loss)

    def fit(self, loader, steps):
        for i, (x, y) in enumerate(itertools.islice(loader, steps)):
            self.step(x, y)
            print(i, {k: round(v[-1], 4) for k, v in self.stats.items()})


def synthetic(batch, dim, n_cls):
    centers = torch.randn(n_cls, dim).clamp_(-1, 1)
    while True:
        y = torch.randint(0, n_cls, (batch,))
        x = centers[y]
        x += 0.05 * torch.randn_like(x)
        yield x, y


# --- driver ---
def main():
    torch.manual_seed(0)
    trainer = Trainer(Generator(8, 4, 6), Discriminator(4, 6), lr=1e-3)
    trainer.fit(synthetic(16, 6, 4), 3)


if __name__ == "__main__":
    main()
