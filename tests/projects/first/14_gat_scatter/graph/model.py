import torch.nn as nn
import torch.nn.functional as F

from .conv import GATConv


class GAT(nn.Module):
    def __init__(self, d_in, hid, classes, heads=2, p=0.2):
        super().__init__()
        self.c1 = GATConv(d_in, hid, heads)
        self.c2 = GATConv(hid * heads, classes, 1)
        self.p = p

    def forward(self, x, edge_index):
        x = F.dropout(x, self.p, self.training)
        x = F.elu(self.c1(x, edge_index))
        x = F.dropout(x, self.p, self.training)
        return self.c2(x, edge_index)
