"""The argument is bound anew by the statement that passes it, or the result is taken by whoever calls a hook."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)

    def forward(self, x):
        return x.mul_(self.proj(x.mean(dim=0)))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.gate = Gate()
        self.last = nn.Linear(4, 4)

    def forward(self, x):
        h = self.first(x)
        h = self.last(self.gate(h))
        h += x
        return h


class Steering(nn.Module):
    def __init__(self):
        super().__init__()
        self.vector = nn.Parameter(torch.ones(4))

    def attach(self, module):
        def hook(module, given, output):
            output += self.vector
            return output

        return module.register_forward_hook(hook)


if __name__ == "__main__":
    block = Block()
    Steering().attach(block.last)
    block(torch.rand(2, 4)).sum().backward()
