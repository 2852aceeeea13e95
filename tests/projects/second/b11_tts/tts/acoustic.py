import torch
from torch import nn

from .layers import WaveGate


class Acoustic(nn.Module):
    def __init__(self, ch, mels, layers=3):
        super().__init__()
        self.layers = nn.ModuleList(WaveGate(ch, 2**i) for i in range(layers))
        self.out = nn.Conv1d(ch, mels, 1)

    def forward(self, x):
        skip = None
        for layer in self.layers:
            x, z = layer(x)
            if skip is None:
                skip = z
            else:
                skip += z  # BUG
        return self.out(torch.relu(skip))
