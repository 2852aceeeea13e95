"""A step by hand, with its rate before the gradient, where nothing is recorded or on the data alone."""

import torch
from torch import nn

model = nn.Linear(4, 2)
rate = 0.1


def train():
    for _ in range(2):
        model.zero_grad()
        model(torch.randn(3, 4)).sum().backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(-rate, parameter.grad)
        for parameter in model.parameters():
            parameter.data.add_(-rate, parameter.grad)


if __name__ == "__main__":
    train()
