from dataclasses import dataclass, replace

import torch


@dataclass(frozen=True)
class Body:
    pos: torch.Tensor
    vel: torch.Tensor
    time: float = 0.0

    @classmethod
    def random(cls, n):
        return cls(pos=torch.randn(n, 2) * 0.3, vel=torch.zeros(n, 2))

    def replace(self, **kw):
        return replace(self, **kw)

    def features(self):
        return torch.cat([self.pos, self.vel], dim=-1)
