import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, d_in, width, d_out):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, width), nn.BatchNorm1d(width), nn.ReLU(inplace=True))
        self.head = nn.Linear(width, d_out)

    def forward(self, x):
        return F.normalize(self.head(self.body(x)), dim=1)
