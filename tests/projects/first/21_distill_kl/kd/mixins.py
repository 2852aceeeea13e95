import torch
import torch.nn.functional as F


class SoftTargetMixin:
    temperature = 4.0

    def log_probs(self, logits):
        return F.log_softmax(logits / self.temperature, dim=1)

    def kl(self, log_p, log_q):
        return (log_q.exp() * (log_q - log_p)).sum(1).mean() * self.temperature ** 2


class EntropyMixin:
    def entropy(self, log_p):
        p = log_p.exp_()  # BUG
        return -(p * torch.log(p + 1e-8)).sum(1).mean()
