import torch
import torch.nn as nn

from . import losses
from .critic import Critic


class Solver:
    def __init__(self, z=6):
        self.z = z
        self.G = nn.Sequential(nn.Linear(z, 64), nn.Tanh(), nn.Unflatten(1, (1, 8, 8)))
        self.D = Critic()
        self.og = torch.optim.Adam(self.G.parameters(), 1e-4)
        self.od = torch.optim.Adam(self.D.parameters(), 4e-4)

    def d_step(self, real):
        with torch.no_grad():
            fake = self.G(torch.randn(real.size(0), self.z))
        loss = losses.hinge_d(self.D, real, fake)
        self.od.zero_grad()
        loss.backward()
        self.od.step()
        return loss.item()

    def g_step(self, n):
        loss = losses.hinge_g(self.D, self.G(torch.randn(n, self.z)))
        self.og.zero_grad()
        loss.backward()
        self.og.step()
        return loss.item()
