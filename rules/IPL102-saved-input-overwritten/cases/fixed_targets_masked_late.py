"""The loss saved the targets, although integers have no gradient, and they are masked for a metric afterwards."""

import torch
import torch.nn.functional as F
from torch import nn


def training_step(model, x, target):
    logits = model(x)
    loss = F.cross_entropy(logits, target)
    target = target.clone()
    target[target == 2] = 0
    accuracy = (logits.argmax(dim=-1) == target).float().mean()
    loss.backward()
    return loss.item(), accuracy.item()


if __name__ == "__main__":
    model = nn.Linear(5, 3)
    training_step(model, torch.randn(6, 5), torch.tensor([0, 1, 2, 0, 1, 2]))
