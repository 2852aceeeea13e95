# wgan-gp on a ring of gaussians
import math

import torch
from torch import nn, autograd, optim

torch.manual_seed(3)
torch.set_num_threads(1)

LAMBDA = 10
N_CRITIC = 3
BATCH = 48


def ring(n):
    k = torch.randint(0, 8, (n,)).float()
    pts = torch.stack([torch.cos(k * math.pi / 4), torch.sin(k * math.pi / 4)], 1)
    pts += 0.02 * torch.randn(n, 2)
    return pts


class G(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(4, 32)
        self.l2 = nn.Linear(32, 32)
        self.l3 = nn.Linear(32, 2)

    def forward(self, z):
        h = self.l1(z).relu_()
        h = self.l2(h).relu_()
        return self.l3(h)


class C(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(2, 32)
        self.l2 = nn.Linear(32, 32)
        self.l3 = nn.Linear(32, 1)

    def forward(self, x):
        h = torch.tanh(self.l1(x))
        y = self.l2(h)
        y += h
        return self.l3(torch.nn.functional.elu(y)).squeeze(1)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1)
    inter = alpha * real
    inter += (1 - alpha) * fake
    inter.requires_grad_(True)
    score = critic(inter)
    (g,) = autograd.grad(score, inter, torch.ones_like(score), create_graph=True)
    norm = g.norm(2, dim=1)
    norm = norm - 1
    return norm.pow(2).mean().mul_(LAMBDA)


gen, critic = G(), C()
opt_g = optim.Adam(gen.parameters(), 1e-3, betas=(0.0, 0.9))
opt_c = optim.Adam(critic.parameters(), 1e-3, betas=(0.0, 0.9))

for step in range(8):
    for p in critic.parameters():
        p.requires_grad_(True)
    for _ in range(N_CRITIC):
        real = ring(BATCH)
        with torch.no_grad():
            fake = gen(torch.randn(BATCH, 4))
        loss_c = critic(fake).mean() - critic(real).mean()
        loss_c += gradient_penalty(critic, real, fake)
        opt_c.zero_grad()
        loss_c.backward()
        opt_c.step()

    for p in critic.parameters():
        p.requires_grad_(False)
    loss_g = -critic(gen(torch.randn(BATCH, 4))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    print(step, round(loss_c.item(), 4), round(loss_g.item(), 4))
