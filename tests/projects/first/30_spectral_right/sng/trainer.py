import torch
import torch.nn.functional as F

from .disc import ProjectionD
from .gen import Gen


class Trainer:
    def __init__(self):
        self.G, self.D = Gen(), ProjectionD()
        self.og = torch.optim.Adam(self.G.parameters(), 2e-4, betas=(0.0, 0.9))
        self.od = torch.optim.Adam(self.D.parameters(), 2e-4, betas=(0.0, 0.9))

    def step(self, x, y):
        fake = self.G(x.size(0), y)
        d = F.relu(1 - self.D(x, y)).mean() + F.relu(1 + self.D(fake.detach(), y)).mean()
        self.od.zero_grad()
        d.backward()
        self.od.step()
        g = -self.D(fake, y).mean()
        self.og.zero_grad()
        g.backward()
        self.og.step()
        return d.item(), g.item()
