import torch
from torch import nn

from .hooks import FeatureTap
from .losses import feature_loss, soft_ce


class Distiller(nn.Module):
    def __init__(self, student, teacher, layers, t=4.0):
        super().__init__()
        self.student, self.teacher, self.t = student, teacher.requires_grad_(False), t
        self.tap_s = FeatureTap(student, layers)
        self.tap_t = FeatureTap(teacher, layers)

    def forward(self, x):
        s = self.student(x)
        with torch.no_grad():
            t = self.teacher(x)
        return soft_ce(s, t, self.t) + feature_loss(self.tap_s.pop(), self.tap_t.pop())
