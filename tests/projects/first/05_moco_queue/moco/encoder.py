import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, d_in=16, d_h=32, d_out=8):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_h)
        self.bn = nn.BatchNorm1d(d_h)
        self.fc2 = nn.Linear(d_h, d_out)

    def forward(self, x):
        h = F.relu(self.bn(self.fc1(x)), inplace=True)
        return F.normalize(self.fc2(h), dim=1)
