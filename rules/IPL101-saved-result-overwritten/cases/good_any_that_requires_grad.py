"""In place only where gradients are not recorded for any of the tensors."""

import torch
from torch import nn


def recording(*tensors):
    return torch.is_grad_enabled() and any(t.requires_grad for t in tensors)


class Weights(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        probs = torch.softmax(self.inner(x), -1)
        if recording(x, probs):
            probs = probs * 2
        else:
            probs *= 2
            probs += 1
        return probs


if __name__ == "__main__":
    model = Weights()
    model(torch.randn(2, 4)).sum().backward()
    with torch.no_grad():
        model(torch.randn(2, 4))
