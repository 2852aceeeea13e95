"""Restricted Boltzmann machine trained by persistent contrastive divergence through free energies."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RBM(nn.Module):
    def __init__(self, visible, hidden):
        super().__init__()
        self.W = nn.Parameter(torch.randn(hidden, visible) * 0.1)
        self.a = nn.Parameter(torch.zeros(visible))
        self.b = nn.Parameter(torch.zeros(hidden))

    def free_energy(self, v):
        return -(v @ self.a) - F.softplus(F.linear(v, self.W, self.b)).sum(-1)

    def p_h(self, v):
        return torch.sigmoid(F.linear(v, self.W, self.b))

    def p_v(self, h):
        return torch.sigmoid(F.linear(h, self.W.t(), self.a))


class GibbsChain:
    """Fantasy particles that live across updates."""

    def __init__(self, rbm, particles, generator=None):
        self.rbm = rbm
        self.gen = generator
        self.v = torch.empty(particles, rbm.W.shape[1]).bernoulli_(0.5, generator=generator)
        self.h = torch.empty(particles, rbm.W.shape[0])

    @torch.no_grad()
    def run(self, k):
        for _ in range(k):
            self.h.copy_(torch.bernoulli(self.rbm.p_h(self.v), generator=self.gen))
            self.v.copy_(torch.bernoulli(self.rbm.p_v(self.h), generator=self.gen))
        return self.v

    @torch.no_grad()
    def restart(self, fraction):
        mask = torch.rand(len(self.v), generator=self.gen) < fraction
        self.v[mask] = torch.randint(0, 2, (int(mask.sum()), self.v.shape[1]), generator=self.gen).float()


class Bars:
    def __init__(self, side):
        self.side = side

    def draw(self, n):
        img = torch.zeros(n, self.side, self.side)
        for k in range(n):
            i = int(torch.randint(0, self.side, ()))
            if torch.rand(()) < 0.5:
                img[k, i] = 1
            else:
                img[k, :, i].fill_(1)
        return img.flatten(1)


def weight_decay_(rbm, amount):
    with torch.no_grad():
        rbm.W.mul_(1 - amount)
        rbm.W.clamp_(-5, 5)


def train(rbm, data, chain, steps, lr=0.05, k=2, batch=8):
    opt = torch.optim.SGD(rbm.parameters(), lr=lr)
    for _ in range(steps):
        chain.restart(0.1)
        fantasy = chain.run(k)
        loss = rbm.free_energy(data.draw(batch)).mean() - rbm.free_energy(fantasy).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        weight_decay_(rbm, 1e-4)


# --- driver ---
torch.manual_seed(46)
rbm = RBM(9, 5)
train(rbm, Bars(3), GibbsChain(rbm, 6, torch.Generator().manual_seed(0)), steps=2)
