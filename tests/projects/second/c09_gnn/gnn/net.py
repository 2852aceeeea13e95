import torch.nn.functional as F
from torch import nn

from .conv import GCNConv, SAGEConv


class Net(nn.Module):
    def __init__(self, d, h, k):
        super().__init__()
        self.c1, self.c2 = GCNConv(d, h), SAGEConv(h, k)

    def forward(self, x, e):
        h = F.relu(self.c1(x, e), inplace=True)
        h = F.dropout(h, 0.1, self.training)
        return self.c2(h, e)
