"""The hidden state is detached before the next step: the old graph is not reached any more."""

import torch
from torch import nn

cell = nn.RNNCell(3, 4)
head = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)

h = torch.zeros(2, 4)
for x in torch.randn(3, 2, 3):
    h = cell(x, h.detach())
    loss = head(h).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
