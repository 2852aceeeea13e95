"""A module in evaluation saves its statistics, and updates them in training, all before backward."""

import torch
from torch import nn

net = nn.BatchNorm1d(4)
x = torch.randn(8, 4, requires_grad=True)
net.eval()
fixed = net(x).square().sum()
net.train()
moving = net(x * 5).sum()  # expect: IPL203
(fixed + moving).backward()
