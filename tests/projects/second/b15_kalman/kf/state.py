from typing import NamedTuple

import torch


class State(NamedTuple):
    mean: torch.Tensor
    cov: torch.Tensor

    @classmethod
    def initial(cls, n, d):
        return cls(torch.zeros(n, d), torch.eye(d).repeat(n, 1, 1))
