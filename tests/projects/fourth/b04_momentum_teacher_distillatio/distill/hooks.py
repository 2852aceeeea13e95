import math

import torch


class Hook:
    def after_forward(self, tr):
        pass

    def after_step(self, tr):
        pass


class MomentumTeacher(Hook):
    def __init__(self, base):
        self.base = base

    def momentum(self, tr):
        return 1 - (1 - self.base) * (math.cos(math.pi * tr.it / tr.total) + 1) / 2

    @torch.no_grad()
    def after_forward(self, tr):
        m = self.momentum(tr)
        src = dict(tr.student.named_parameters())
        for name, p in tr.teacher.named_parameters():
            p.mul_(m).add_(src[name], alpha=1 - m)  # BUG


class CosineLR(Hook):
    def __init__(self, total, base_lr):
        self.total, self.base_lr = total, base_lr

    def after_step(self, tr):
        lr = self.base_lr * 0.5 * (1 + math.cos(math.pi * tr.it / self.total))
        for g in tr.optimizer.param_groups:
            g["lr"] = lr


class PrintEvery(Hook):
    def __init__(self, n):
        self.n = n

    def after_step(self, tr):
        if tr.it % self.n == 0:
            print(tr.it, round(tr.meter.avg, 4))


HOOKS = {c.__name__: c for c in (MomentumTeacher, CosineLR, PrintEvery)}
