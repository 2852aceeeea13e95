import torch
import torch.nn as nn


class ODEFunc(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden), nn.Tanh(), nn.Linear(hidden, dim))
        self.nfe = 0
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=0.1)
                nn.init.zeros_(m.bias)

    def forward(self, t, y):
        self.nfe += 1
        return self.net(y ** 3)


class Spiral(nn.Module):
    def __init__(self):
        super().__init__()
        self.A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])

    def forward(self, t, y):
        return (y ** 3) @ self.A
