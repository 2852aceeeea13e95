import torch.nn.functional as F
from torch import nn

from graph import GATLayer


class GAT(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.layers = nn.ModuleList([GATLayer(a, b) for a, b in zip(dims, dims[1:])])

    def forward(self, x, edge_index):
        for i, layer in enumerate(self.layers):
            x = layer(x, edge_index)
            if i + 1 < len(self.layers):
                x = F.elu(x)
        return x
