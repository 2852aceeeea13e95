import torch


class SAM:
    """Sharpness-aware minimisation around a base optimizer."""

    def __init__(self, params, base, rho=0.05):
        self.params = list(params)
        self.base = base
        self.rho = rho
        self.eps = {}

    @torch.no_grad()
    def ascend(self):
        norm = torch.stack([p.grad.norm() for p in self.params if p.grad is not None]).norm() + 1e-12
        for p in self.params:
            if p.grad is None:
                continue
            e = p.grad * (self.rho / norm)
            p.add_(e)
            self.eps[p] = e

    @torch.no_grad()
    def descend(self):
        for p, e in self.eps.items():
            p.sub_(e)
        self.eps.clear()
        self.base.step()
