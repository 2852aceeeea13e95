"""Each pass renews a vector that the pass before has saved; the function that makes both is given the module."""

import torch
import torch.nn.functional as F
from torch import nn


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 3))
        self.register_buffer("u", F.normalize(torch.randn(4), dim=0))

    def forward(self, x):
        with torch.no_grad():
            v = F.normalize(self.weight.t() @ self.u, dim=0)
            self.u.copy_(F.normalize(self.weight @ v, dim=0))
        return F.linear(x, self.weight / torch.dot(self.u, self.weight @ v))


def hinge(critic, real, fake):
    wanted = torch.relu(1 - critic(real)).mean()
    unwanted = torch.relu(1 + critic(fake)).mean()  # expect: IPL102
    return wanted + unwanted


hinge(Normed(), torch.randn(5, 3), torch.randn(5, 3)).backward()
