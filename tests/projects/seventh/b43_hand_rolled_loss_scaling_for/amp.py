import torch


class DynamicLossScaler:
    def __init__(self, init=2. ** 10, factor=2., window=4):
        self.value = init
        self.factor = factor
        self.window = window
        self.good_steps = 0

    def scale(self, loss):
        return loss.mul_(self.value)  # BUG

    def unscale_(self, params):
        finite = True
        for p in params:
            if p.grad is not None:
                p.grad.div_(self.value)
                finite = finite and bool(torch.isfinite(p.grad).all())
        return finite

    def update(self, finite):
        if not finite:
            self.value /= self.factor
            self.good_steps = 0
        else:
            self.good_steps += 1
            if self.good_steps % self.window == 0:
                self.value *= self.factor
