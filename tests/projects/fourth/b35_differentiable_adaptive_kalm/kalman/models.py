import torch
import torch.nn as nn
import torch.nn.functional as F


class ConstantVelocity(nn.Module):
    def __init__(self, dt):
        super().__init__()
        self.register_buffer("F0", torch.tensor([[1.0, dt], [0.0, 1.0]]))
        self.register_buffer("H", torch.tensor([[1.0, 0.0]]))
        self.damp = nn.Parameter(torch.zeros(()))
        self.raw_q = nn.Parameter(torch.tensor(-2.0))
        self.raw_r = nn.Parameter(torch.tensor(-1.0))

    @property
    def transition(self):
        f = self.F0.clone()
        f[1, 1] = torch.sigmoid(self.damp) + 0.5
        return f

    @property
    def q(self):
        return F.softplus(self.raw_q)

    @property
    def r(self):
        return F.softplus(self.raw_r)
