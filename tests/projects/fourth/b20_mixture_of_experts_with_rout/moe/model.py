import torch.nn as nn


class MoEClassifier(nn.Module):
    def __init__(self, dim, classes, moe):
        super().__init__()
        self.inp = nn.Linear(dim, dim)
        self.moe = moe
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        h = self.inp(x)
        y, route = self.moe(h)
        return self.head(self.norm(h + y)), route
