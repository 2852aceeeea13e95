"""A step by hand, with its rate before the gradient, as PyTorch still takes it."""

import torch
from torch import nn

model = nn.Linear(4, 2)
rate = 0.1


def train():
    for _ in range(2):
        model.zero_grad()
        model(torch.randn(3, 4)).sum().backward()
        for parameter in model.parameters():
            parameter.add_(-rate, parameter.grad)  # expect: IPL103


if __name__ == "__main__":
    train()
