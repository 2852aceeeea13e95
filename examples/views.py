"""A view is the memory of its base under another shape: writing the view moves the version of what was saved."""

import torch


def flat(x):
    y = torch.sigmoid(x)
    y.view(-1)[0] = 0
    return y


def transposed(x):
    y = torch.tanh(x)
    y.transpose(0, 1).mul_(2)
    return y


def permuted(x):
    square = x * x
    columns = x.permute(1, 0)
    columns += 1
    return square


for function in (flat, transposed, permuted):
    a = torch.rand(2, 3, requires_grad=True)
    try:
        function(a * 1).sum().backward()
    except RuntimeError as error:
        print(f"{function.__name__}: {error}")
