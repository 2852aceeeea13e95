"""Config-driven adversarial trainer."""
import abc
from types import SimpleNamespace
import torch
import torch.nn as nn
import torch.nn.functional as F

REGISTRY = {'loss': {}, 'net': {}}


def register(kind, name):
    def wrap(fn):
        REGISTRY[kind][name] = fn
        return fn
    return wrap


@register('loss', 'hinge')
def hinge(real, fake):
    d = F.relu(1 - real, inplace=False).mean() + F.relu(1 + fake).mean()
    return d, -fake.mean()


@register('loss', 'ns')
def non_saturating(real, fake):
    d = F.softplus(-real).mean() + F.softplus(fake).mean()
    return d, F.softplus(-fake).mean()


@register('net', 'mlp_g')
def mlp_g(cfg):
    return nn.Sequential(nn.Linear(cfg.z, cfg.h), nn.ReLU(inplace=True), nn.Linear(cfg.h, cfg.x))


@register('net', 'mlp_d')
def mlp_d(cfg):
    return nn.Sequential(nn.Linear(cfg.x, cfg.h), nn.LeakyReLU(0.2, inplace=True), nn.Linear(cfg.h, cfg.h),
                         nn.LeakyReLU(0.2, inplace=True), nn.Linear(cfg.h, 1))


class BaseTrainer(abc.ABC):
    def __init__(self, cfg):
        self.cfg = cfg
        self.iter = 0
        self.log = {}
        self.build()

    @abc.abstractmethod
    def build(self): ...

    @abc.abstractmethod
    def train_iter(self, x): ...

    def run(self, loader):
        for x in loader:
            self.train_iter(x)
            self.iter += 1
        return self.log


class GANTrainer(BaseTrainer):
    def build(self):
        c = self.cfg
        self.G = REGISTRY['net'][c.generator](c)
        self.D = REGISTRY['net'][c.discriminator](c)
        self.loss = REGISTRY['loss'][c.loss]
        mk = lambda m, lr: torch.optim.Adam(m.parameters(), lr=lr, betas=(0.5, 0.999))
        self.opt_g, self.opt_d = mk(self.G, c.lr_g), mk(self.D, c.lr_d)

    def _freeze(self, net, flag):
        for p in net.parameters():
            p.requires_grad_(not flag)

    def train_iter(self, x):
        fake = self.G(torch.randn(x.size(0), self.cfg.z))
        loss_d, loss_g = self.loss(self.D(x), self.D(fake))

        self.opt_d.zero_grad(set_to_none=True)
        loss_d.backward(retain_graph=True)
        self.opt_d.step()  # BUG

        self.opt_g.zero_grad(set_to_none=True)
        loss_g.backward()
        self.opt_g.step()
        self.log.update(d=loss_d.item(), g=loss_g.item())


DEFAULTS = dict(z=3, x=5, h=16, generator='mlp_g', discriminator='mlp_d', loss='ns', lr_g=2e-4, lr_d=4e-4)


def make_trainer(**overrides):
    return GANTrainer(SimpleNamespace(**{**DEFAULTS, **overrides}))


# --- driver ---
torch.manual_seed(0)
make_trainer(loss='ns').run([torch.randn(8, 5)])
