import torch


class GradientPenalty:
    """Keeps its mixing buffers between calls; each penalty is used up by its backward before the next."""

    def __init__(self, weight=10.0):
        self.weight, self._alpha, self._ones = weight, None, None

    def _buffers(self, n):
        if self._alpha is None or self._alpha.size(0) != n:
            self._alpha, self._ones = torch.empty(n, 1), torch.ones(n, 1)
        self._alpha.uniform_()
        return self._alpha, self._ones

    def __call__(self, D, real, fake):
        a, ones = self._buffers(real.size(0))
        x = torch.lerp(real, fake.detach(), a.expand_as(real)).requires_grad_(True)
        (g,) = torch.autograd.grad(D(x), x, ones, create_graph=True)
        n = g.norm(2, 1)
        n = n - 1
        return self.weight * n.pow(2).mean()


class PathLength:
    def __init__(self, decay=0.01):
        self.decay, self.mean = decay, torch.zeros(())

    def __call__(self, fake, w):
        y = torch.randn_like(fake).mul_(fake.size(1) ** -0.5)
        (g,) = torch.autograd.grad((fake * y).sum(), w, create_graph=True)
        l = g.square().sum(1).sqrt()
        m = self.mean.lerp(l.detach().mean(), self.decay)
        self.mean.copy_(m)
        return (l - m).square().mean()
