import torch
import torch.nn as nn


class LabelSmoothing(nn.Module):
    def __init__(self, size, pad, eps=0.1):
        super().__init__()
        self.size, self.pad, self.eps = size, pad, eps
        self.crit = nn.KLDivLoss(reduction="sum")

    def forward(self, logits, target):
        lp = logits.log_softmax(-1)
        true = lp.detach().clone()
        true.fill_(self.eps / (self.size - 2))
        true.scatter_(1, target.unsqueeze(1), 1 - self.eps)
        true[:, self.pad] = 0
        mask = torch.nonzero(target == self.pad)
        if mask.numel():
            true.index_fill_(0, mask.squeeze(1), 0.0)
        return self.crit(lp, true)
