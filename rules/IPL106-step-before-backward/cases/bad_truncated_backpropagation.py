"""The hidden state carries its graph into the next step, past the optimizer."""

import torch
from torch import nn

cell = nn.RNNCell(3, 4)
head = nn.Linear(4, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)

h = torch.zeros(2, 4)
for x in torch.randn(3, 2, 3):
    h = cell(x, h)
    loss = head(h).square().mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()  # expect: IPL106
