from dataclasses import dataclass, replace

import torch


@dataclass
class Belief:
    mean: torch.Tensor
    cov: torch.Tensor
    nll: torch.Tensor

    @classmethod
    def prior(cls, batch, dim=2):
        cov = torch.eye(dim).repeat(batch, 1, 1)
        cov *= 2.0
        return cls(torch.zeros(batch, dim), cov, torch.zeros(batch))

    def replace(self, **kw):
        return replace(self, **kw)

    def symmetrised(self):
        return self.replace(cov=0.5 * (self.cov + self.cov.transpose(-1, -2)))
