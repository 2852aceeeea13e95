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
        h = self.first(x).clone()
        h = self.last(self.gate(h.detach()))
        return h + x


def steered(module, vector):
    def hook(module, given, output):
        output += vector
        return output

    return module.register_forward_hook(hook)


if __name__ == "__main__":
    block = Block()
    steered(block.last, torch.ones(4))
    block(torch.rand(2, 4)).sum().backward()
