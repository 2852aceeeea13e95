import torch


class LossScaler:
    def __init__(self, init=1024.0):
        self.scale = torch.tensor(init)
        self.good = 0

    def backward(self, loss):
        (loss * self.scale).backward()

    @torch.no_grad()
    def unscale_(self, params):
        inv = 1 / self.scale
        ok = True
        for p in params:
            if p.grad is not None:
                p.grad.mul_(inv)
                ok = ok and bool(p.grad.isfinite().all())
        return ok

    def update(self, ok):
        if ok:
            self.good += 1
            if self.good % 2 == 0:
                self.scale.mul_(2)
        else:
            self.scale.div_(2)
