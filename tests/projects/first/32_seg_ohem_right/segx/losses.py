import torch
import torch.nn as nn
import torch.nn.functional as F

from .registry import LOSSES


@LOSSES.register()
class OhemCE(nn.Module):
    def __init__(self, thresh=0.7, min_kept=4, ignore=255):
        super().__init__()
        self.thresh, self.min_kept, self.ignore = thresh, min_kept, ignore

    def forward(self, score, target):
        t = target.clone()
        with torch.no_grad():
            prob = F.softmax(score, 1)
            tmp = t.clone()
            tmp[tmp == self.ignore] = 0
            p = prob.gather(1, tmp.unsqueeze(1)).squeeze(1)
            p.masked_fill_(t == self.ignore, 1.0)
            k = p.flatten().sort().values[min(self.min_kept, p.numel() - 1)]
            t[p > max(float(k), self.thresh)] = self.ignore
        return F.cross_entropy(score, t, ignore_index=self.ignore)


@LOSSES.register()
class FocalTversky(nn.Module):
    def __init__(self, alpha=0.7, gamma=0.75, ignore=255):
        super().__init__()
        self.alpha, self.gamma, self.ignore = alpha, gamma, ignore

    def forward(self, score, target):
        valid = (target != self.ignore).unsqueeze(1).float()
        t = target.clone()
        t[target == self.ignore] = 0
        oh = torch.zeros_like(score).scatter_(1, t.unsqueeze(1), 1).mul_(valid)
        p = F.softmax(score, 1) * valid
        tp = (p * oh).sum((0, 2, 3))
        fn = ((1 - p) * oh).sum((0, 2, 3))
        fp = (p * (1 - oh)).sum((0, 2, 3))
        den = tp + self.alpha * fn
        den += (1 - self.alpha) * fp
        den += 1.0
        return (1 - (tp + 1) / den).pow(self.gamma).mean()
