"""`nn.ReLU(inplace=True)` applied to the output of a sigmoid."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 3)
        self.squash = nn.Sigmoid()
        self.act = nn.ReLU()

    def forward(self, x):
        x = self.fc(x)
        x = self.squash(x)
        return self.act(x)


if __name__ == "__main__":
    head = Head()
    loss = head(torch.randn(4, 6)).mean()
    loss.backward()
