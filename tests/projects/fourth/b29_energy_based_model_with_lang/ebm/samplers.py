import contextlib

import torch


@contextlib.contextmanager
def frozen(module):
    flags = [p.requires_grad for p in module.parameters()]
    module.requires_grad_(False)
    try:
        yield module
    finally:
        for p, f in zip(module.parameters(), flags):
            p.requires_grad_(f)


class Sampler:
    """Template for MCMC on the input; returns detached samples."""

    def __init__(self, steps, step_size, noise, **extra):
        self.steps, self.step_size, self.noise = steps, step_size, noise
        self.extra = extra
        self.setup(**extra)

    def setup(self):
        pass

    def gradient(self, net, x):
        return torch.autograd.grad(net(x).sum(), x)[0]

    @torch.no_grad()
    def move(self, x, g):
        x.sub_(g, alpha=self.step_size)
        x.add_(torch.randn_like(x), alpha=self.noise)

    def constrain(self, x):
        return x

    def run(self, net, x):
        x = x.clone().requires_grad_(True)
        with frozen(net):
            for _ in range(self.steps):
                g = self.gradient(net, x)
                self.move(x, g)
                x = self.constrain(x)
        return x.detach()


class Langevin(Sampler):
    pass


class BoundedLangevin(Sampler):
    def setup(self, bound):
        self.bound = bound

    def gradient(self, net, x):
        g = super().gradient(net, x)
        return g.clamp_(-self.bound, self.bound)

    def constrain(self, x):
        return x.clamp_(-self.bound, self.bound)  # BUG


SAMPLERS = {"langevin": Langevin, "bounded_langevin": BoundedLangevin}


def build_sampler(cfg):
    cfg = dict(cfg)
    return SAMPLERS[cfg.pop("kind")](**cfg)
