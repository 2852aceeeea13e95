import random
import torch


class Sampler:
    def __init__(self, model, shape, max_len=512, step_size=0.5, noise=0.01):
        self.model = model
        self.shape = shape
        self.max_len = max_len
        self.step_size = step_size
        self.noise = noise
        self.examples = [torch.rand((1,) + shape) * 2 - 1 for _ in range(64)]

    def sample_new_exmps(self, n, steps=10):
        n_new = max(1, int(0.05 * n))
        rand = torch.rand((n_new,) + self.shape) * 2 - 1
        old = torch.cat(random.choices(self.examples, k=n - n_new), dim=0)
        x = torch.cat([rand, old], dim=0).detach()
        x = self.langevin(x, steps)
        self.examples = list(x.split(1)) + self.examples
        self.examples = self.examples[:self.max_len]
        return x

    def langevin(self, x, steps):
        for p in self.model.parameters():
            p.requires_grad = False
        x.requires_grad_(True)
        eps = torch.empty_like(x)
        for _ in range(steps):
            eps.normal_(0, self.noise)
            x.add_(eps).clamp_(-1, 1)  # BUG
            energy = -self.model(x).sum()
            g, = torch.autograd.grad(energy, x)
            g = g.clamp(-0.03, 0.03)
            with torch.no_grad():
                x -= self.step_size * g
        for p in self.model.parameters():
            p.requires_grad = True
        return x.detach().clamp(-1, 1)
