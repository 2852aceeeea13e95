import torch

from .lazy import Lazy
from .nets import Mapping, Synthesis, critic
from .penalty import GradientPenalty, PathLength


class Trainer:
    def __init__(self, z=6, d=5, n_critic=2):
        self.z, self.n_critic = z, n_critic
        self.M, self.S, self.D = Mapping(z), Synthesis(z, d), critic(d)
        self.og = torch.optim.Adam([*self.M.parameters(), *self.S.parameters()], 1e-3, betas=(0.0, 0.9))
        self.od = torch.optim.Adam(self.D.parameters(), 1e-3, betas=(0.0, 0.9))
        self.gp, self.pl, self.lazy = GradientPenalty(), PathLength(), Lazy(2)
        self.zbuf = torch.empty(8, z)

    def latents(self):
        return self.zbuf.normal_()

    def d_step(self, real):
        with torch.no_grad():
            fake = self.S(self.M(self.latents()))
        loss = self.D(fake).mean() - self.D(real).mean() + self.gp(self.D, real, fake)
        self.od.zero_grad()
        loss.backward()
        self.od.step()
        return loss.item()

    def g_step(self):
        w = self.M(self.latents())
        fake = self.S(w)
        loss = -self.D(fake).mean()
        if self.lazy():
            loss = loss + self.pl(fake, w)
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        return loss.item()

    def step(self, real):
        ds = [self.d_step(real) for _ in range(self.n_critic)]
        return ds[-1], self.g_step()
