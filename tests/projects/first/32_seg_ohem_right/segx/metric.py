import torch


class ConfusionMatrix:
    def __init__(self, n):
        self.mat = torch.zeros(n, n, dtype=torch.long)

    def update(self, pred, target):
        n = self.mat.size(0)
        ok = target < n
        idx = n * target[ok] + pred[ok]
        self.mat += torch.bincount(idx, minlength=n * n).view(n, n)

    def miou(self):
        h = self.mat.float()
        d = h.diag()
        return (d / (h.sum(0) + h.sum(1) - d).clamp_(min=1)).mean()
