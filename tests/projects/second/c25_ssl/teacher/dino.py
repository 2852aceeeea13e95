import copy

import torch
import torch.nn.functional as F
from torch import nn

from .center import Center


class DINOLoss(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.center = Center(k)

    def forward(self, s, t):
        t = F.softmax((t - self.center.value) / 0.05, -1).detach()
        loss = -(t * F.log_softmax(s / 0.1, -1)).sum(-1).mean()
        self.center.update(t)
        return loss


class DINO(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.student = nn.Sequential(nn.Linear(d, 8), nn.GELU(), nn.Linear(8, k))
        self.teacher = copy.deepcopy(self.student)
        for p in self.teacher.parameters():
            p.requires_grad = False
        self.loss = DINOLoss(k)

    def forward(self, x):
        return self.loss(self.student(x), self.teacher(x))

    def momentum(self, m=0.9):
        for a, b in zip(self.student.parameters(), self.teacher.parameters()):
            b.data.mul_(m).add_((1 - m) * a.detach().data)
