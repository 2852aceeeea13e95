import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.exp(self.proj(x))
        y.data.mul_(10)  # nothing raises, the gradient is wrong
        return y
