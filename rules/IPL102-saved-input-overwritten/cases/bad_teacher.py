"""A deep copy of a network takes part in the loss, and its weights follow the first one's before the backward."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.pupil = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
        self.master = copy.deepcopy(self.pupil)

    def follow(self):
        with torch.no_grad():
            for old, new in zip(self.master.parameters(), self.pupil.parameters()):
                old.mul_(0.9).add_(new, alpha=0.1)

    def fit(self, x):
        loss = F.mse_loss(self.pupil(x), self.master(x + 1))
        self.follow()  # expect: IPL102
        loss.backward()


Pair().fit(torch.rand(5, 3))
