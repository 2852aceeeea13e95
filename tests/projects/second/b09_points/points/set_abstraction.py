from torch import nn

from .mlp import shared_mlp
from .ops import center_group, gather_points, knn


class SetAbstraction(nn.Module):
    def __init__(self, k, dims, attn=False):
        super().__init__()
        self.k = k
        self.mlp = shared_mlp(*dims)
        self.score = nn.Linear(dims[-1], 1)

    def pool(self, h):
        w = self.score(h).softmax(2)
        pooled = (w * h).sum(2)
        h.sub_(pooled.unsqueeze(2))  # BUG
        return pooled + h.pow(2).mean(2)

    def forward(self, xyz):
        idx = knn(xyz.detach(), self.k)
        group = center_group(gather_points(xyz, idx), xyz)
        return self.pool(self.mlp(group))
