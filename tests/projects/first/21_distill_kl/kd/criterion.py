import torch.nn as nn
import torch.nn.functional as F

from .mixins import EntropyMixin, SoftTargetMixin


class KDLoss(SoftTargetMixin, EntropyMixin, nn.Module):
    def __init__(self, alpha=0.7, ent=0.01, temperature=None):
        super().__init__()
        self.alpha, self.ent = alpha, ent
        if temperature is not None:
            self.temperature = temperature

    def forward(self, student, teacher, target):
        log_p = self.log_probs(student)
        log_q = self.log_probs(teacher)
        kd = self.kl(log_p, log_q.detach())
        ce = F.cross_entropy(student, target)
        loss = self.alpha * kd + (1 - self.alpha) * ce
        if self.ent > 0:
            loss = loss - self.ent * self.entropy(log_p)
        return loss
