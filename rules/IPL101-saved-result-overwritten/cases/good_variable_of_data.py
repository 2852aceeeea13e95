"""`Variable(x)` is `x.detach()`: what is computed of it alone records no gradients."""

import torch
from torch.autograd import Variable

weight = torch.ones(3, requires_grad=True)


def loss(x):
    x = Variable(x)
    gate = torch.sigmoid(x)
    gate += 1
    return (gate * weight).sum()


if __name__ == "__main__":
    loss(torch.ones(3, requires_grad=True) * 2).backward()
