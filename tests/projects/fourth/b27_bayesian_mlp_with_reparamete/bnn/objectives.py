import abc

import torch

from .build import register


class Objective(abc.ABC):
    def __init__(self, samples):
        self.samples = samples

    def draws(self, net, x):
        for _ in range(self.samples):
            yield net(x)

    @abc.abstractmethod
    def reduce(self, logliks, net, n):
        ...

    def __call__(self, net, x, y, noise=0.1):
        ll = [-((o - y) / noise).pow(2).sum() / 2 for o in self.draws(net, x)]
        return self.reduce(torch.stack(ll), net, len(x))


@register
class ELBO(Objective):
    def __init__(self, samples, beta):
        super().__init__(samples)
        self.beta = beta

    def reduce(self, logliks, net, n):
        return (-logliks.mean() + self.beta * net.kl()) / n


@register
class IWAE(ELBO):
    def reduce(self, logliks, net, n):
        return (-logliks.logsumexp(0) + self.beta * net.kl()) / n
