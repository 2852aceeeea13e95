import argparse
import itertools

import torch
import torch.nn as nn


def get_parser():
    p = argparse.ArgumentParser()
    p.add_argument("--nz", type=int, default=4)
    p.add_argument("--clip", type=float, default=0.01)
    p.add_argument("--lr", type=float, default=5e-5)
    p.add_argument("--n-critic", type=int, default=2)
    return p


def weights_init(m):
    if isinstance(m, (nn.Linear, nn.ConvTranspose2d, nn.Conv2d)):
        m.weight.data.normal_(0.0, 0.02)
        if m.bias is not None:
            m.bias.data.fill_(0)
    elif isinstance(m, nn.BatchNorm2d):
        m.weight.data.normal_(1.0, 0.02)
        m.bias.data.zero_()


class DCGenerator(nn.Module):
    def __init__(self, nz, ngf=4):
        super().__init__()
        self.main = nn.Sequential(
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False), nn.BatchNorm2d(ngf * 2), nn.ReLU(True),
            nn.ConvTranspose2d(ngf * 2, 1, 4, 2, 1, bias=False), nn.Tanh(),
        )

    def forward(self, z):
        return self.main(z)


class DCCritic(nn.Module):
    def __init__(self, ndf=4):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, ndf, 4, 2, 1, bias=False), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, 1, 4, 1, 0, bias=False),
        )

    def forward(self, x):
        return self.main(x).view(-1)


class WGAN:
    def __init__(self, opt):
        self.cfg = opt
        self.G, self.C = DCGenerator(opt.nz).apply(weights_init), DCCritic().apply(weights_init)
        self.opt_g = torch.optim.RMSprop(self.G.parameters(), lr=opt.lr)
        self.opt_c = torch.optim.RMSprop(self.C.parameters(), lr=opt.lr)
        self.noise = torch.empty(0)

    def sample_noise(self, n):
        self.noise.resize_(n, self.cfg.nz, 1, 1).normal_(0, 1)
        return self.noise

    @torch.no_grad()
    def clip_weights(self):
        for p in self.C.parameters():
            p.clamp_(-self.cfg.clip, self.cfg.clip)  # BUG

    def critic_step(self, real):
        with torch.no_grad():
            fake = self.G(self.sample_noise(real.size(0)))
        loss = self.C(fake).mean() - self.C(real).mean()
        self.clip_weights()
        self.opt_c.zero_grad()
        loss.backward()
        self.opt_c.step()
        return loss.detach()

    def generator_step(self, n):
        loss = -self.C(self.G(self.sample_noise(n))).mean()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()
        return loss.detach()

    def train(self, batches):
        it = iter(batches)
        while True:
            group = list(itertools.islice(it, self.cfg.n_critic))
            if not group:
                return
            for real in group:
                self.critic_step(real)
            self.generator_step(group[0].size(0))


# --- driver ---
torch.manual_seed(0)
wgan = WGAN(get_parser().parse_args([]))
wgan.train([torch.randn(3, 1, 8, 8) for _ in range(2)])
