import argparse

import torch
import torch.nn as nn


class Critic(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, h), nn.LeakyReLU(0.2, inplace=True), nn.Linear(h, h),
                               nn.LeakyReLU(0.2, inplace=True), nn.Linear(h, 1))

    def forward(self, x):
        return self.f(x).squeeze(-1)


class Lipschitz:
    """Base of the strategies that keep the critic smooth."""

    def penalty(self, critic, real, fake):
        return 0.0

    def after_step(self, critic):
        pass


class GradientPenalty(Lipschitz):
    def __init__(self, lam=10.0):
        self.lam = lam

    def penalty(self, critic, real, fake):
        eps = torch.empty(real.size(0), 1).uniform_()
        mix = real.clone()
        mix.mul_(eps).add_(fake * (1 - eps))
        mix.requires_grad_(True)
        g, = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
        return self.lam * (g.norm(2, dim=1) - 1).pow(2).mean()


class WeightClip(Lipschitz):
    def __init__(self, c=0.01):
        self.c = c

    def after_step(self, critic):
        for p in critic.parameters():
            p.data.clamp_(-self.c, self.c)


class WeightProject(Lipschitz):
    @torch.no_grad()
    def after_step(self, critic):
        for m in critic.modules():
            if isinstance(m, nn.Linear):
                m.weight.div_(max(1.0, torch.linalg.matrix_norm(m.weight, 2).item()))


STRATEGIES = {"gp": GradientPenalty, "clip": WeightClip, "proj": WeightProject}


class Trainer:
    def __init__(self, opts):
        self.o = opts
        self.gen = nn.Sequential(nn.Linear(opts.z, opts.h), nn.ReLU(inplace=True), nn.Linear(opts.h, opts.d))
        self.critic = Critic(opts.d, opts.h)
        self.rule = STRATEGIES[opts.rule]()
        self.og = torch.optim.Adam(self.gen.parameters(), 1e-3, betas=(0.5, 0.9))
        self.oc = torch.optim.Adam(self.critic.parameters(), 1e-3, betas=(0.5, 0.9))

    def z(self, n):
        return torch.randn(n, self.o.z)

    def critic_round(self, real):
        fake = self.gen(self.z(len(real))).detach()
        loss = self.critic(fake).mean() - self.critic(real).mean()
        loss = loss + self.rule.penalty(self.critic, real, fake)
        self.oc.zero_grad()
        loss.backward()
        self.oc.step()
        self.rule.after_step(self.critic)
        return loss.item()

    def gen_round(self, n):
        loss = -self.critic(self.gen(self.z(n))).mean()
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        return loss.item()


# --- driver ---
torch.manual_seed(3)
for rule in ("gp", "clip", "proj"):
    t = Trainer(argparse.Namespace(z=3, h=12, d=2, rule=rule))
    for _ in range(2):
        print(t.critic_round(torch.randn(6, 2)), t.gen_round(6))
