import copy

import torch
import torch.nn as nn


class Backbone(nn.Sequential):
    def __init__(self, d_in, feat):
        super().__init__(nn.Linear(d_in, feat), nn.ReLU(inplace=True), nn.Linear(feat, feat), nn.ReLU(inplace=True))


class Student(nn.Module):
    def __init__(self, d_in, feat, proj):
        super().__init__()
        self.backbone = Backbone(d_in, feat)
        self.head = nn.Sequential(nn.Linear(feat, proj), nn.Tanh(), nn.Linear(proj, proj))

    def features(self, x):
        return self.backbone(x)

    def forward(self, x):
        return self.head(self.features(x))


class Teacher(nn.Module):
    def __init__(self, backbone, head):
        super().__init__()
        self.backbone, self.head = backbone, head
        self.requires_grad_(False)

    @classmethod
    def from_student(cls, student):
        return cls(copy.deepcopy(student.backbone), copy.deepcopy(student.head))

    @torch.no_grad()
    def targets(self, x):
        t = self.head(self.backbone(x))
        t -= t.mean(0, keepdim=True)
        return t

    def read(self, feats):
        """Project someone else's features with the teacher's own head."""
        return self.head(feats)
