"""`Variable(…, requires_grad=True)` makes a leaf, as `requires_grad_()` does."""

import torch
from torch.autograd import Variable


def memory(size):
    flat = Variable(torch.zeros(size), requires_grad=True)
    flat[0] = 1.0  # expect: IPL103
    return flat


if __name__ == "__main__":
    memory(3).sum().backward()
