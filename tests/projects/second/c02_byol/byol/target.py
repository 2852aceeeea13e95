import copy

import torch
from torch import nn


class TargetNetwork(nn.Module):
    def __init__(self, net, tau=0.99):
        super().__init__()
        self.net = copy.deepcopy(net)
        self.net.requires_grad_(False)
        self.tau = tau

    @torch.no_grad()
    def update(self, online):
        for t, o in zip(self.net.parameters(), online.parameters()):
            t.data.mul_(self.tau).add_(o.data, alpha=1 - self.tau)

    @torch.no_grad()
    def forward(self, x):
        return self.net(x)
