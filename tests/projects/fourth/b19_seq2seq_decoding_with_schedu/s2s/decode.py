import abc

import torch

from .data import BOS


class Decoder(abc.ABC):
    """Runs the model step by step; subclasses decide the next input token."""

    def __init__(self, cfg):
        self.cfg = cfg

    @abc.abstractmethod
    def choose(self, t, logits, target):
        ...

    def run(self, model, src, target):
        n, length = target.shape
        mem, h = model.encode(src)
        tokens = torch.full((n, length + 1), BOS, dtype=torch.long)
        out = []
        for t in range(length):
            logits, h = model.step(tokens[:, t], h, mem)
            out.append(logits)
            tokens[:, t + 1] = self.choose(t, logits, target)  # BUG
        return torch.stack(out, 1), tokens[:, 1:]


class TeacherForcing(Decoder):
    def choose(self, t, logits, target):
        return target[:, t]


class Greedy(Decoder):
    def choose(self, t, logits, target):
        return logits.argmax(1)


class ScheduledSampling(Decoder):
    def choose(self, t, logits, target):
        own = logits.detach().argmax(1)
        use = torch.rand(own.size(0)) < self.cfg.sample_prob
        mixed = target[:, t].clone()
        mixed[use] = own[use]
        return mixed


STRATEGIES = {"forced": TeacherForcing, "greedy": Greedy, "scheduled": ScheduledSampling}
