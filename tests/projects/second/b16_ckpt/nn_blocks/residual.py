from torch import nn

from .acts import leaky, sigmoid
from .utils import CallableChain, accumulate


class ResidualStack(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        chain = CallableChain(self.a, sigmoid, self.b, leaky, self.c)
        out, trace = chain(x)
        return accumulate(trace[1::2]) + out
