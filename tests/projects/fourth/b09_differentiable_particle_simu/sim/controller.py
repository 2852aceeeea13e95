import torch
import torch.nn as nn


class Controller(nn.Module):
    def __init__(self, state_dim, act_dim, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(state_dim, hidden), nn.Tanh(), nn.Linear(hidden, act_dim))
        with torch.no_grad():
            self.net[-1].weight.mul_(0.1)

    def forward(self, feats):
        return self.net(feats)
