import torch
import torch.nn as nn


class StreamingGRU(nn.Module):
    def __init__(self, n_in=10, hidden=16, n_classes=4, layers=1):
        super().__init__()
        self.proj = nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(inplace=True))
        self.gru = nn.GRU(hidden, hidden, layers, batch_first=True)
        self.out = nn.Linear(hidden, n_classes)
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, feats):
        h, state = self.gru(self.proj(feats), self.state)
        self.state = state
        return self.out(h)
