import argparse

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_


class Generator(nn.Module):
    def __init__(self, z_dim, hidden, out_dim):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(z_dim, hidden), nn.ReLU(True),
            nn.Linear(hidden, hidden), nn.ReLU(True),
            nn.Linear(hidden, out_dim), nn.Tanh(),
        )

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self, in_dim, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(in_dim, hidden), nn.LeakyReLU(0.2, True),
            nn.Linear(hidden, hidden), nn.LeakyReLU(0.2, True),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.net(x).view(-1)


def d_hinge(real, fake):
    return (1 - real).relu().mean() + (1 + fake).relu().mean()


def g_hinge(fake):
    return -fake.mean()


class GANTrainer:
    def __init__(self, args):
        self.args = args
        self.G = Generator(args.z_dim, args.hidden, args.data_dim)
        self.D = Discriminator(args.data_dim, args.hidden)
        self.opt_g = torch.optim.Adam(self.G.parameters(), lr=args.lr, betas=(0.0, 0.9))
        self.opt_d = torch.optim.Adam(self.D.parameters(), lr=args.lr, betas=(0.0, 0.9))
        self.history = {"d": [], "g": []}

    def sample_z(self, n):
        return torch.randn(n, self.args.z_dim)

    def train_on_batch(self, real):
        fake = self.G(self.sample_z(real.size(0)))
        fake_score = self.D(fake)
        loss_g = g_hinge(fake_score)
        loss_d = d_hinge(self.D(real), self.D(fake.detach()))

        self.opt_d.zero_grad()
        loss_d.backward()
        clip_grad_norm_(self.D.parameters(), self.args.clip)
        self.opt_d.step()  # BUG

        self.opt_g.zero_grad()
        loss_g.backward()
        self.opt_g.step()

        self.history["d"].append(loss_d.item())
        self.history["g"].append(loss_g.item())

    def fit(self, batches):
        for step, real in enumerate(batches):
            self.train_on_batch(real)
            if step % self.args.log_every == 0:
                print(f"{step}: d={self.history['d'][-1]:.3f} g={self.history['g'][-1]:.3f}")


def get_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--z-dim", type=int, default=4)
    p.add_argument("--hidden", type=int, default=16)
    p.add_argument("--data-dim", type=int, default=2)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--clip", type=float, default=5.0)
    p.add_argument("--log-every", type=int, default=1)
    return p.parse_args(argv)


# --- driver ---
torch.manual_seed(1)
trainer = GANTrainer(get_args([]))
trainer.fit([torch.randn(8, 2) for _ in range(2)])
