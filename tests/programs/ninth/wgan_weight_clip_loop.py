import itertools

import torch
import torch.nn as nn

CFG = dict(z=3, dim=2, hidden=16, clip=0.05, n_critic=1, lr=1e-3, drift=1e-3)


def mlp(*sizes, last=None):
    mods = []
    for a, b in zip(sizes, sizes[1:]):
        mods += [nn.Linear(a, b), nn.ReLU()]
    mods.pop()
    if last is not None:
        mods.append(last)
    return nn.Sequential(*mods)


class WGAN(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        h = cfg["hidden"]
        self.gen = mlp(cfg["z"], h, h, cfg["dim"])
        self.critic = mlp(cfg["dim"], h, h, 1)

    def noise(self, n):
        return torch.randn(n, self.cfg["z"])

    def clip_critic(self):
        c = self.cfg["clip"]
        for p in self.critic.parameters():
            p.data.clamp_(-c, c)  # BUG silent

    def critic_loss(self, real):
        with torch.no_grad():
            fake = self.gen(self.noise(len(real)))
        sr, sf = self.critic(real), self.critic(fake)
        gap = sf.mean() - sr.mean()
        return gap + self.cfg["drift"] * sr.pow(2).mean(), -gap.item()

    def gen_loss(self, n):
        return -self.critic(self.gen(self.noise(n))).mean()


class Ring:
    """Eight Gaussians on a ring."""

    def __init__(self, n, seed=0):
        self.n, self.g = n, torch.Generator().manual_seed(seed)

    def __iter__(self):
        return self

    def __next__(self):
        k = torch.randint(0, 8, (self.n,), generator=self.g) * (torch.pi / 4)
        pts = torch.stack([k.cos(), k.sin()], 1)
        return pts.add_(0.05 * torch.randn(self.n, 2, generator=self.g))


def train(model, stream, rounds):
    lr = model.cfg["lr"]
    opt_c = torch.optim.RMSprop(model.critic.parameters(), lr=lr)
    opt_g = torch.optim.RMSprop(model.gen.parameters(), lr=lr)
    gaps = []
    for _ in range(rounds):
        for real in itertools.islice(stream, model.cfg["n_critic"]):
            loss, gap = model.critic_loss(real)
            model.clip_critic()
            opt_c.zero_grad()
            loss.backward()
            opt_c.step()
            gaps.append(gap)
        opt_g.zero_grad()
        model.gen_loss(8).backward()
        opt_g.step()
    return gaps


# --- driver ---
torch.manual_seed(28)
print(train(WGAN(CFG), Ring(8), 2))
