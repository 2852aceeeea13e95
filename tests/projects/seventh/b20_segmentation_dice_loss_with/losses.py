import torch
import torch.nn as nn


class DiceLoss(nn.Module):
    def __init__(self, ignore_index=255, smooth=1.0):
        super().__init__()
        self.ignore_index = ignore_index
        self.smooth = smooth

    def forward(self, probs, target):
        n, c, h, w = probs.shape
        ignore = target == self.ignore_index
        t = target.clone()
        t[ignore] = 0
        onehot = torch.zeros(n, c, h, w).scatter_(1, t.unsqueeze(1), 1)
        ignore = ignore.unsqueeze(1).expand_as(probs)
        onehot[ignore] = 0
        probs[ignore] = 0  # BUG
        inter = (probs * onehot).sum((2, 3))
        denom = probs.sum((2, 3)) + onehot.sum((2, 3))
        dice = (2 * inter + self.smooth) / (denom + self.smooth)
        return 1 - dice.mean()
