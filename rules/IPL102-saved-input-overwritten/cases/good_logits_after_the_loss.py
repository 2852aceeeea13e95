"""Cross entropy keeps log-probabilities of its own: the logits may be changed for a metric."""

import torch
import torch.nn.functional as F
from torch import nn


def training_step(model, x, target):
    logits = model(x)
    loss = F.cross_entropy(logits, target)
    with torch.no_grad():
        logits[:, 0] = -1e9
        best = logits.argmax(dim=-1)
    loss.backward()
    return (best == target).float().mean().item()


if __name__ == "__main__":
    training_step(nn.Linear(5, 3), torch.randn(6, 5), torch.randint(0, 3, (6,)))
