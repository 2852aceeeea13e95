import torch.nn.functional as F

from .base import BaseTrainer
from .mixins import DecoupledDecayMixin, GradNoiseMixin, LogitClampMixin, WarmupMixin, WeightClipMixin


class BinaryTrainer(LogitClampMixin, BaseTrainer):
    def criterion(self, out, y):
        return F.binary_cross_entropy_with_logits(out, y)


class NoisyBinary(GradNoiseMixin, WeightClipMixin, BinaryTrainer):
    pass


class WarmupDecayBinary(WarmupMixin, DecoupledDecayMixin, WeightClipMixin, BinaryTrainer):
    pass


RECIPES = {"plain": BinaryTrainer, "noisy": NoisyBinary, "warmup_decay": WarmupDecayBinary}
