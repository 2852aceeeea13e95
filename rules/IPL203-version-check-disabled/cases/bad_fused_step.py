"""A fused optimizer steps between a forward and its backward."""

import torch
from torch import nn

encoder = nn.Linear(4, 4)
head = nn.Linear(4, 1)
optimizer = torch.optim.Adam(head.parameters(), lr=0.1, fused=True)
x = torch.randn(3, 4)
first = head(torch.relu(encoder(x))).sum()
head(x).sum().backward()
optimizer.step()  # expect: IPL203
first.backward()
