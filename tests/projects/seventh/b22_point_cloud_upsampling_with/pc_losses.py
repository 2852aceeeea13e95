import torch
import torch.nn as nn


class ChamferLoss(nn.Module):
    def forward(self, a, b):
        d = ((a[:, :, None] - b[:, None]) ** 2).sum(-1)
        return d.min(1)[0].mean() + d.min(2)[0].mean()


class RepulsionLoss(nn.Module):
    def __init__(self, k=4, h=0.1):
        super().__init__()
        self.k = k
        self.h = h

    def neighbours(self, pts):
        dist = torch.cdist(pts, pts)
        dist.fill_diagonal_(1e6)  # BUG
        return dist.topk(self.k, dim=1, largest=False)[0]

    def forward(self, clouds):
        total = 0.
        for pts in clouds:
            nn_dist = self.neighbours(pts)
            w = torch.exp(-nn_dist ** 2 / self.h ** 2)
            total = total + ((self.h - nn_dist).clamp(min=0) * w).mean()
        return total / len(clouds)
