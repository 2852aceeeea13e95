from torch import nn

from .utils import IgnoreIndexMixin, one_hot


class DiceLoss(IgnoreIndexMixin, nn.Module):
    def __init__(self, classes, smooth=1.0):
        super().__init__()
        self.classes = classes
        self.smooth = smooth

    def forward(self, logits, target):
        target, keep = self.split_ignore(target)
        prob = self.apply_ignore(logits.softmax(1), keep)
        hot = one_hot(target, self.classes) * keep.unsqueeze(1)
        dims = (0, 2, 3)
        inter = (prob * hot).sum(dims)
        union = prob.sum(dims) + hot.sum(dims)
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()
