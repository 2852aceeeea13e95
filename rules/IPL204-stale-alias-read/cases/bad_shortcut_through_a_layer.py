"""The shortcut joins only after another layer: it is the activated tensor all the same."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        shortcut = x
        x = self.act(x)
        return self.fc(x) + shortcut  # expect: IPL204


if __name__ == "__main__":
    block = Block(4)
    x = torch.randn(2, 4)
    wanted = block.fc(x.relu()) + x
    assert not torch.allclose(block(x), wanted)
