import torch.nn.functional as F
from torch import nn


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, ignore_index=255):
        super().__init__()
        self.gamma, self.ignore_index = gamma, ignore_index

    def forward(self, logits, target):
        ce = F.cross_entropy(logits, target, ignore_index=self.ignore_index, reduction="none")
        pt = (-ce).exp()
        return ((1 - pt) ** self.gamma * ce).mean()
