"""Wasserstein GAN on a ring of Gaussians."""
import math
import torch
import torch.nn as nn


class cfg:
    z = 4
    hidden = 32
    lr = 5e-5
    clip = 0.01
    n_critic = 2
    batch = 16


def ring(n, k=8):
    idx = torch.randint(0, k, (n,))
    ang = idx.float() * (2 * math.pi / k)
    pts = torch.stack([ang.cos(), ang.sin()], 1)
    pts.add_(torch.randn(n, 2).mul_(0.05))
    return pts


def mlp(i, o, h, n=2):
    layers = [nn.Linear(i, h), nn.LeakyReLU(0.2, inplace=True)]
    for _ in range(n - 1):
        layers += [nn.Linear(h, h), nn.LeakyReLU(0.2, inplace=True)]
    return nn.Sequential(*layers, nn.Linear(h, o))


G = mlp(cfg.z, 2, cfg.hidden)
D = mlp(2, 1, cfg.hidden)


def clip_weights(net, c):
    with torch.no_grad():
        for p in net.parameters():
            p.clamp_(-c, c)  # BUG


def critic_loss(real):
    with torch.no_grad():
        fake = G(torch.randn(real.size(0), cfg.z))
    return D(fake).mean() - D(real).mean()


def generator_loss(n):
    return -D(G(torch.randn(n, cfg.z))).mean()


def train(steps):
    opt_d = torch.optim.RMSprop(D.parameters(), lr=cfg.lr)
    opt_g = torch.optim.RMSprop(G.parameters(), lr=cfg.lr)
    history = []
    for it in range(steps):
        for _ in range(cfg.n_critic):
            d_loss = critic_loss(ring(cfg.batch))
            clip_weights(D, cfg.clip)
            opt_d.zero_grad()
            d_loss.backward()
            opt_d.step()
        g_loss = generator_loss(cfg.batch)
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        history.append((d_loss.item(), g_loss.item()))
        if it % 100 == 0:
            print(f'[{it}] D {d_loss.item():.4f} G {g_loss.item():.4f}')
    return history


# --- driver ---
torch.manual_seed(1)
train(2)
