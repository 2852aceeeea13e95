"""Wasserstein GAN on one dimensional mixtures, critic weights kept in a box."""
import argparse
from contextlib import contextmanager

import torch
from torch import nn


def mlp(*dims, act=nn.LeakyReLU):
    layers = []
    for i, (a, b) in enumerate(zip(dims, dims[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(dims) - 2:
            layers.append(act())
    return nn.Sequential(*layers)


class BoxConstraint:
    def __init__(self, module, c):
        self.module, self.c = module, c

    def apply(self):
        for p in self.module.parameters():
            p.data.clamp_(-self.c, self.c)  # BUG silent

    def saturation(self):
        flat = torch.cat([p.detach().flatten() for p in self.module.parameters()])
        return (flat.abs() >= self.c).float().mean().item()


@contextmanager
def frozen(module):
    flags = [p.requires_grad for p in module.parameters()]
    module.requires_grad_(False)
    try:
        yield module
    finally:
        for p, f in zip(module.parameters(), flags):
            p.requires_grad_(f)


class WGAN:
    def __init__(self, args):
        self.args = args
        self.gen = mlp(args.noise, args.hidden, 1)
        self.critic = mlp(1, args.hidden, args.hidden, 1)
        self.box = BoxConstraint(self.critic, args.clip)
        self.g_opt = torch.optim.RMSprop(self.gen.parameters(), lr=args.lr)
        self.c_opt = torch.optim.RMSprop(self.critic.parameters(), lr=args.lr)

    def real(self, n):
        return torch.randn(n, 1) * 0.3 + torch.randint(0, 2, (n, 1)) * 4 - 2

    def fake(self, n):
        return self.gen(torch.randn(n, self.args.noise))

    def critic_step(self, n):
        loss = self.critic(self.fake(n).detach()).mean() - self.critic(self.real(n)).mean()
        self.c_opt.zero_grad()
        loss.backward()
        self.c_opt.step()
        return loss.item()

    def generator_step(self, n):
        with frozen(self.critic):
            loss = -self.critic(self.fake(n)).mean()
        self.box.apply()
        self.g_opt.zero_grad()
        loss.backward()
        self.g_opt.step()
        return loss.item()

    def train(self, rounds, n=8):
        for _ in range(rounds):
            for _ in range(self.args.n_critic):
                self.critic_step(n)
            self.generator_step(n)
        return self.box.saturation()


# --- driver ---
torch.manual_seed(30)
args = argparse.Namespace(noise=2, hidden=8, clip=0.05, lr=5e-3, n_critic=2)
WGAN(args).train(1)
