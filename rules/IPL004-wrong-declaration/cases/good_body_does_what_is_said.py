import torch
from torch import nn


# inplace-lint: writes(x), returns(same(x))
def scaled(x, factor):
    return x.mul_(factor)


# inplace-lint: saves(result), returns(new)
def gate(x):
    return torch.sigmoid(x)


# inplace-lint: saves(x)
# inplace-lint: returns(new)
class Square(nn.Module):
    def forward(self, x):
        return x * x


@torch.no_grad()
# inplace-lint: no_grad, returns(no_tensor)
def seen(x, total=[0.0]):
    total[0] += float(x.sum())


x = torch.ones(3, requires_grad=True)
y = gate(x)
seen(y)
Square()(y).sum().backward()
scaled(y.detach(), 2.0)
