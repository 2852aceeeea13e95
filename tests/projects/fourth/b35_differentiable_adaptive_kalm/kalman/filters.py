import abc

import torch

from .linalg import gaussian_nll, jitter, quad

FILTERS = {}


def filter_type(name):
    def deco(cls):
        FILTERS[name] = cls
        return cls
    return deco


class KalmanFilter(abc.ABC):
    def __init__(self, model):
        self.model = model

    def predict(self, b):
        f = self.model.transition
        cov = jitter(quad(f, b.cov), self.model.q)
        return b.replace(mean=b.mean @ f.t(), cov=cov)

    def correct(self, b, z):
        h = self.model.H
        err = z - b.mean @ h.t()
        s = quad(h, b.cov).squeeze(-1) + self.model.r
        gain = (b.cov @ h.t()) / s.unsqueeze(-1)
        mean = b.mean + (gain @ err.unsqueeze(-1)).squeeze(-1)
        cov = b.cov - gain @ h @ b.cov
        return b.replace(mean=mean, cov=cov, nll=b.nll + gaussian_nll(err, s)), err, s

    @abc.abstractmethod
    def adapt(self, before, after, err, s):
        ...

    def step(self, b, z):
        prior = self.predict(b)
        post, err, s = self.correct(prior, z)
        return self.adapt(prior, post, err, s).symmetrised()

    def run(self, b, zs):
        for z in zs:
            b = self.step(b, z)
            yield b


@filter_type("plain")
class Plain(KalmanFilter):
    def adapt(self, before, after, err, s):
        return after


@filter_type("adaptive")
class Adaptive(KalmanFilter):
    """Falls back to an inflated prior covariance when an innovation is surprising."""

    gate, inflate = 1.0, 0.2

    def adapt(self, before, after, err, s):
        surprise = (err.pow(2) / s).detach().squeeze(-1) > self.gate
        wide = jitter(before.cov, self.inflate)
        cov = torch.where(surprise[:, None, None], wide, after.cov)
        return after.replace(cov=cov)
