import torch
from torch import nn


class Bias(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(width))
        self.bias.uniform_(-1, 1)  # raises as soon as the model is built
