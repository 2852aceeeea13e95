import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        gate = torch.sigmoid(self.proj(x))
        gate.clamp_(min=0.1)
        return x * gate


model = Gate(16)
loss = model(torch.randn(8, 16)).sum()
loss.backward()
