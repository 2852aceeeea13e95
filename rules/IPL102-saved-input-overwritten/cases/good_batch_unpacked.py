"""What is written and what is saved are two elements of one list, which was made of a batch and unpacked."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 1)

    def forward(self, h, coord, vel):
        coord += self.lin(h) * vel
        return coord


def train(batches, steps):
    net = Net()
    for batch in batches:
        batch = [one.to("cpu") for one in batch]
        loc, vel, h = batch
        x = loc.detach()
        for _ in range(steps):
            x = net(h, x, vel)
        x.sum().backward()


if __name__ == "__main__":
    columns = [torch.randn(8, 3) for _ in range(3)]
    train(DataLoader(TensorDataset(*columns), batch_size=4), 2)
