import contextlib
import itertools
import torch
from torch import nn
from torch.nn import functional as F


@contextlib.contextmanager
def frozen(*modules):
    params = [p for m in modules for p in m.parameters()]
    flags = [p.requires_grad for p in params]
    for p in params:
        p.requires_grad_(False)
    try:
        yield
    finally:
        for p, f in zip(params, flags):
            p.requires_grad_(f)


def make_mlp(*dims, act=nn.LeakyReLU):
    layers = []
    for a, b in itertools.pairwise(dims):
        layers += [nn.Linear(a, b), act(0.2, inplace=True)]
    return nn.Sequential(*layers[:-1])


class CriticClamp:
    """Weight clipping of the original WGAN paper."""

    def __init__(self, critic, c):
        self.critic, self.c = critic, c

    @torch.no_grad()
    def __call__(self):
        for p in self.critic.parameters():
            p.clamp_(-self.c, self.c)


class Averager:
    def __init__(self, module, beta):
        self.beta = beta
        self.shadow = {k: v.detach().clone() for k, v in module.state_dict().items()}

    @torch.no_grad()
    def update(self, module):
        for k, v in module.state_dict().items():
            self.shadow[k].lerp_(v, 1 - self.beta)


class WGAN:
    def __init__(self, zdim, xdim, n_critic=3, clip=0.05, lr=5e-4):
        self.zdim = zdim
        self.gen = make_mlp(zdim, 32, xdim)
        self.critic = make_mlp(xdim, 32, 32, 1)
        self.n_critic = n_critic
        self.og = torch.optim.RMSprop(self.gen.parameters(), lr)
        self.oc = torch.optim.RMSprop(self.critic.parameters(), lr)
        self.clamp = CriticClamp(self.critic, clip)
        self.avg = Averager(self.gen, 0.95)

    def sample(self, n):
        return self.gen(torch.randn(n, self.zdim))

    def critic_phase(self, batches):
        gap = torch.zeros(())
        for real in batches:
            with torch.no_grad():
                fake = self.sample(len(real))
            loss = self.critic(fake).mean() - self.critic(real).mean()
            self.oc.zero_grad()
            loss.backward()
            self.oc.step()
            self.clamp()
            gap -= loss.detach()
        return gap / self.n_critic

    def generator_phase(self, n):
        with frozen(self.critic):
            loss = -self.critic(self.sample(n)).mean()
            self.og.zero_grad()
            loss.backward()
        self.og.step()
        self.avg.update(self.gen)
        return loss.detach()


def ring(n, k=8, r=2.0):
    th = torch.randint(0, k, (n,)) * (2 * torch.pi / k)
    pts = torch.stack([th.cos(), th.sin()], 1) * r
    return pts.add_(torch.randn(n, 2), alpha=0.05)


# --- driver ---
torch.manual_seed(11)
wgan = WGAN(4, 2)
for epoch in range(4):
    gap = wgan.critic_phase(ring(64) for _ in range(wgan.n_critic))
    lg = wgan.generator_phase(64)
    print(epoch, gap.item(), lg.item())
