import torch

PHASES = {}


def phase(name):
    def wrap(cls):
        cls.target = name
        PHASES[name] = cls
        return cls
    return wrap


class Phase:
    target = None
    stale = ()

    def __init__(self, cfg):
        self.cfg = cfg

    def loss(self, ctx):
        raise NotImplementedError

    def finish(self, ctx):
        """Drop whatever this phase's update made out of date."""
        ctx.forget(*self.stale)


@phase("critic")
class CriticPhase(Phase):
    stale = ("real_score", "mixed")

    def penalty(self, ctx):
        x = ctx.mixed
        score = ctx.nets["critic"](x)
        (g,) = torch.autograd.grad(score.sum(), x, create_graph=True)
        return (g.norm(dim=1) - 1).pow(2).mean()

    def loss(self, ctx):
        if ctx.fake.requires_grad:
            fake = ctx.nets["critic"](ctx.fake.detach()).mean()
        else:
            fake = ctx.fake_score.mean()
        return fake - ctx.real_score.mean() + self.cfg.gp * self.penalty(ctx) + 1e-3 * ctx.fake_score.pow(2).mean().detach()


@phase("gen")
class GenPhase(Phase):
    stale = ("fake", "fake_score", "mixed")

    def loss(self, ctx):
        return -ctx.fake_score.mean()
