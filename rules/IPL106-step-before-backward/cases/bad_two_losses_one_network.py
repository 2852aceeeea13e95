"""Two losses go through the same weights; the step for the first one spoils the second."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

first = model(torch.randn(3, 4)).square().mean()
second = model(torch.randn(3, 4)).abs().mean()

optimizer.zero_grad()
first.backward()
optimizer.step()  # expect: IPL106
second.backward()
