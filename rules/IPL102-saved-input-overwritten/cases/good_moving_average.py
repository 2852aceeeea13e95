"""A moving average of weights is updated after the step, when backward is done."""

import torch
from torch import nn

model, average = nn.Linear(4, 2), nn.Linear(4, 2)
average.load_state_dict(model.state_dict())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

for _ in range(3):
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for kept, new in zip(average.parameters(), model.parameters()):
            kept.mul_(0.9).add_(new, alpha=0.1)
