"""The square root's result is written, but every call in the file gives the function plain numbers."""

import torch


def shifted_to_zero(rates):
    roots = torch.cumprod(1.0 - rates, dim=0).sqrt()
    last = roots[-1].clone()
    roots -= last
    return 1 - roots**2


class Scheduler:
    def __init__(self, steps, given=None):
        if given is not None:
            self.rates = torch.tensor(given, dtype=torch.float32)
        else:
            self.rates = torch.linspace(1e-4, 2e-2, steps)
        self.rates = shifted_to_zero(self.rates)

    def scaled(self, sample, step):
        return sample * self.rates[step]


if __name__ == "__main__":
    assert not Scheduler(10).rates.requires_grad
