import torch
from torch import nn

from .distances import cdist
from .mining import hardest_negative, hardest_positive, same_label


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, z, labels):
        d = cdist(z, z)
        pos = same_label(labels)
        return torch.where(pos, d, (self.margin - d).relu()).mean()


class TripletLoss(nn.Module):
    def __init__(self, dim_in, dim, margin=0.3):
        super().__init__()
        self.proj = nn.Linear(dim_in, dim)
        self.margin = margin

    def forward(self, x, labels):
        z = self.proj(x)
        d = cdist(z, z)
        pos = hardest_positive(d, labels)
        neg = hardest_negative(d, labels)
        return (pos - neg + self.margin).relu().mean()
