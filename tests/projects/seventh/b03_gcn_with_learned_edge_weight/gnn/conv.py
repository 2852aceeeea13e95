import torch
from torch import nn
from .norm import gcn_norm, add_self_loops


class WeightedGCNConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels, bias=False)
        self.bias = nn.Parameter(torch.zeros(out_channels))

    def forward(self, x, edge_index, edge_weight):
        n = x.size(0)
        edge_index, edge_weight = add_self_loops(edge_index, edge_weight, n)
        w = gcn_norm(edge_index, edge_weight, n)
        x = self.lin(x)
        msg = x[edge_index[0]] * w.unsqueeze(-1)
        out = torch.zeros_like(x).index_add(0, edge_index[1], msg)
        return out + self.bias
