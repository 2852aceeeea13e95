import torch


class FlatAdam:
    def __init__(self, vec, lr, betas=(0.9, 0.99), eps=1e-8):
        self.vec, self.lr, self.betas, self.eps = vec, lr, betas, eps
        self.m, self.v = torch.zeros_like(vec), torch.zeros_like(vec)
        self.t = 0

    def zero_grad(self):
        if self.vec.grad is not None:
            self.vec.grad.zero_()

    @torch.no_grad()
    def step(self):
        g = self.vec.grad
        b1, b2 = self.betas
        self.t += 1
        self.m.mul_(b1).add_(g, alpha=1 - b1)
        self.v.mul_(b2).addcmul_(g, g, value=1 - b2)
        denom = (self.v / (1 - b2 ** self.t)).sqrt_().add_(self.eps)
        self.vec.addcdiv_(self.m, denom, value=-self.lr / (1 - b1 ** self.t))
