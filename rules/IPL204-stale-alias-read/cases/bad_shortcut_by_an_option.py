"""An option, on by default, lets the activation work in place on the tensor that the shortcut still names."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, size, inplace=True):
        super().__init__()
        self.act = nn.ReLU(inplace=inplace)
        self.lin = nn.Linear(size, size)

    def forward(self, x):
        identity = x
        out = self.act(x)
        out = self.lin(out)
        return out + identity  # expect: IPL204


x = torch.tensor([[1.0, -1.0]])
given, wanted = Block(2), Block(2, inplace=False)
wanted.load_state_dict(given.state_dict())
assert not torch.equal(given(x.clone()), wanted(x.clone()))
