import torch
from torch import nn
import torch.nn.functional as F

from .ops import scatter_softmax, scatter_sum


class GATLayer(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.att = nn.Parameter(torch.randn(2 * d_out) * 0.1)

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = self.lin(x)
        e = F.leaky_relu((torch.cat([h[src], h[dst]], -1) * self.att).sum(-1), 0.2)
        alpha = scatter_softmax(e, dst, x.size(0))
        return scatter_sum(alpha.unsqueeze(-1) * h[src], dst, x.size(0))
