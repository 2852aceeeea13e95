import torch.nn.functional as F
from torch import nn

from .features import FeatureExtractor
from .gram import gram


class PerceptualLoss(nn.Module):
    def __init__(self, style_w=1e2):
        super().__init__()
        self.net = FeatureExtractor()
        self.style_w = style_w

    def forward(self, img, ref):
        a, b = self.net(img), self.net(ref)
        loss = 0
        for k in a:
            loss = loss + self.style_w * F.mse_loss(gram(a[k]), gram(b[k]))
        return loss
