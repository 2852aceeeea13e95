"""Gradients of several batches are accumulated, then one step is made."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.AdamW(model.parameters())

for number in range(6):
    loss = model(torch.randn(3, 4)).square().mean() / 3
    loss.backward()
    if number % 3 == 2:
        optimizer.step()
        optimizer.zero_grad()
