import torch.nn.functional as F

from .builder import LOSSES


class WeightedLoss:
    def __init__(self, weight=1.0):
        self.weight = weight

    @property
    def name(self):
        return type(self).__name__.lower()

    def compute(self, out):
        raise NotImplementedError

    def __call__(self, out):
        return self.weight * self.compute(out)


@LOSSES.register
class Reconstruction(WeightedLoss):
    def compute(self, out):
        return F.mse_loss(out["recon"], out["x"])


@LOSSES.register
class Commitment(WeightedLoss):
    def compute(self, out):
        return F.mse_loss(out["z"], out["zq"])


@LOSSES.register
class AssignmentEntropy(WeightedLoss):
    """Confident per sample, spread over the batch."""

    def __init__(self, weight, temperature=1.0):
        super().__init__(weight)
        self.t = temperature

    def compute(self, out):
        logp = F.log_softmax(-out["dist"] / self.t, dim=1)
        p = logp.exp()
        sample = -(p * logp).sum(1).mean()
        mean = p.mean(0)
        return sample + (mean * (mean + 1e-8).log()).sum()
