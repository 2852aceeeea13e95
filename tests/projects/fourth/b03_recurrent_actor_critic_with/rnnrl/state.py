from dataclasses import dataclass, replace

import torch


@dataclass
class Carry:
    h: torch.Tensor
    prev_action: torch.Tensor

    @classmethod
    def zeros(cls, n, hidden):
        return cls(h=torch.zeros(n, hidden), prev_action=torch.zeros(n, dtype=torch.long))

    def replace(self, **kw):
        return replace(self, **kw)

    def detach(self):
        return self.replace(h=self.h.detach())

    def reset_where(self, done):
        self.h[done] = 0.0  # BUG
        self.prev_action[done] = 0
        return self
