"""`Variable(y)` is `y.detach()`, which shares its memory and its version."""

import torch
from torch.autograd import Variable


def loss(weight):
    gate = torch.sigmoid(weight)
    plain = Variable(gate)
    plain += 1  # expect: IPL101
    return gate.sum()


if __name__ == "__main__":
    loss(torch.ones(3, requires_grad=True)).backward()
