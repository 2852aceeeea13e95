from dataclasses import dataclass

import torch


@dataclass
class Graph:
    h: torch.Tensor
    x: torch.Tensor
    edges: torch.Tensor

    def replace(self, **kw):
        return Graph(**{**self.__dict__, **kw})
