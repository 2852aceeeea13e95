import torch

OPTIMIZERS = {}


def optimizer(name):
    def deco(cls):
        OPTIMIZERS[name] = cls
        return cls
    return deco


class OptimizerBase:
    def __init__(self, model, cfg):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.lr, self.momentum = cfg.lr, cfg.momentum
        self.buf = {p: torch.zeros_like(p) for p in self.params}
        self.ready()

    def ready(self):
        pass

    @torch.no_grad()
    def update_one(self, p):
        b = self.buf[p]
        b.mul_(self.momentum).add_(p.grad)
        p.sub_(b, alpha=self.lr)  # BUG

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    def step(self):
        raise NotImplementedError


@optimizer("plain")
class PlainSGD(OptimizerBase):
    def step(self):
        for p in self.params:
            if p.grad is not None:
                self.update_one(p)


@optimizer("in_backward")
class InBackwardSGD(OptimizerBase):
    """Applies each update as soon as its gradient is complete, then frees the gradient."""

    def ready(self):
        self.handles = [p.register_post_accumulate_grad_hook(self._hook) for p in self.params]

    def _hook(self, p):
        self.update_one(p)
        p.grad = None

    def step(self):
        pass

    def close(self):
        for h in self.handles:
            h.remove()
