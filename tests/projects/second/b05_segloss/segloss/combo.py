from torch import nn

from .dice import DiceLoss
from .focal import FocalLoss


class ComboLoss(nn.Module):
    def __init__(self, classes, weights=(0.5, 0.5)):
        super().__init__()
        self.parts = nn.ModuleList([DiceLoss(classes), FocalLoss()])
        self.weights = weights

    def forward(self, logits, target):
        return sum(w * p(logits, target) for w, p in zip(self.weights, self.parts))
