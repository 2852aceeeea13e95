import torch
import torch.nn.functional as F


class PowerIterationMixin:
    """Estimates the top singular value of ``matrix()`` with persistent vectors."""

    n_power = 1

    def init_power(self):
        w = self.matrix()
        self.register_buffer("u", F.normalize(torch.randn(w.size(0)), dim=0))
        self.register_buffer("v", F.normalize(torch.randn(w.size(1)), dim=0))

    @torch.no_grad()
    def refine(self, w):
        for _ in range(self.n_power):
            torch.mv(w.t(), self.u, out=self.v)
            self.v.div_(self.v.norm() + 1e-12)
            torch.mv(w, self.v, out=self.u)  # BUG
            self.u.div_(self.u.norm() + 1e-12)

    def sigma(self):
        w = self.matrix()
        if self.training:
            self.refine(w)
        return torch.dot(self.u, torch.mv(w, self.v))


class WeightStatsMixin:
    def weight_stats(self):
        with torch.no_grad():
            return {"norm": self.weight.norm().item(), "max": self.weight.abs().max().item()}
