"""Within one `nn.Sequential` a dropout works in place on the result that the ReLU before it saved."""

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, size, classes):
        super().__init__()
        self.head = nn.Sequential(
            nn.Linear(size, size),
            nn.ReLU(),
            nn.Dropout(p=0.5),
            nn.Linear(size, classes),
        )
        self.tail = self.layers(classes)

    def layers(self, size):
        made = []
        made.append(nn.Linear(size, size))
        made.append(nn.Sigmoid())
        made.append(nn.Dropout(p=0.1))
        return nn.Sequential(*made)

    def forward(self, x):
        x = self.head(x)
        return self.tail(x)


Classifier(4, 3)(torch.rand(2, 4)).sum().backward()
