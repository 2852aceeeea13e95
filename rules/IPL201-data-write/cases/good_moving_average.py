"""The weights of a teacher, which no backward needs, follow those of a student."""

import copy

import torch
from torch import nn

student = nn.Linear(4, 4)
teacher = copy.deepcopy(student)
loss = (student(torch.randn(2, 4)) - teacher(torch.randn(2, 4)).detach()).square().sum()
loss.backward()
for mine, theirs in zip(teacher.parameters(), student.parameters()):
    mine.data.mul_(0.9).add_(theirs.data, alpha=0.1)
