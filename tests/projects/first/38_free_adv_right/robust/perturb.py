import torch
import torch.nn.functional as F


class FreeNoise:
    """A perturbation shared by all batches ("free" adversarial training)."""

    def __init__(self, shape, eps, step):
        self.delta = torch.zeros(shape, requires_grad=True)
        self.eps, self.step_size = eps, step

    def apply(self, x):
        noisy = x + self.delta[: x.size(0)]
        noisy.clamp_(0, 1)
        return noisy

    def step(self):
        g = self.delta.grad
        self.delta.data += self.step_size * g.sign()
        self.delta.data.clamp_(-self.eps, self.eps)
        self.delta.grad.zero_()


def linf_pgd(model, x, y, eps, alpha, n):
    delta = torch.empty_like(x).uniform_(-eps, eps).requires_grad_()
    for _ in range(n):
        loss = F.cross_entropy(model(x + delta), y)
        loss.backward()
        with torch.no_grad():
            delta.add_(alpha * delta.grad.sign()).clamp_(-eps, eps)
            delta.copy_((x + delta).clamp_(0, 1) - x)
            delta.grad.zero_()
    model.zero_grad()
    return delta.detach()


class AWP:
    """Weight perturbation: perturb -> loss/backward -> restore -> step."""

    def __init__(self, model, gamma=0.01):
        self.model, self.gamma, self.backup = model, gamma, {}

    @torch.no_grad()
    def perturb(self, grads):
        for (n, p), g in zip(self.model.named_parameters(), grads):
            if p.dim() > 1:
                d = g * (p.norm() / (g.norm() + 1e-12)) * self.gamma
                p.add_(d)
                self.backup[n] = d

    @torch.no_grad()
    def restore(self):
        for n, p in self.model.named_parameters():
            if n in self.backup:
                p.sub_(self.backup[n])
        self.backup.clear()
