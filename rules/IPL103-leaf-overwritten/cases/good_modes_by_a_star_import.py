"""The modes come by `import *`, as `torch` itself may."""

import copy

import torch
from torch import *
from torch import nn

model = nn.Linear(4, 2)
average = copy.deepcopy(model)

with no_grad():
    for weight, mean in zip(model.parameters(), average.parameters()):
        mean.mul_(0.9).add_(weight, alpha=0.1)


@inference_mode()
def halve(module):
    for weight in module.parameters():
        weight.mul_(0.5)


@no_grad()
def update(model, average):
    for weight, mean in zip(model.parameters(), average.parameters()):
        mean.mul_(0.9).add_(weight, alpha=0.1)


halve(average)
update(model, average)
model(torch.randn(3, 4)).sum().backward()
