import torch


class Lookahead:
    def __init__(self, base, k=5, alpha=0.5):
        self.base, self.k, self.alpha = base, k, alpha
        self.slow = [p.detach().clone() for p in base.params]
        self.t = 0

    def zero_grad(self):
        self.base.zero_grad()

    def step(self):
        self.base.step()
        self.t += 1
        if self.t % self.k == 0:
            with torch.no_grad():
                for s, p in zip(self.slow, self.base.params):
                    s += self.alpha * (p - s)
                    p.copy_(s)


class PlainAdam:
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = [p for p in params if p.requires_grad]
        self.lr, self.betas, self.eps = lr, betas, eps
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.t = 0

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.t += 1
        b1, b2 = self.betas
        for p, m, v in zip(self.params, self.m, self.v):
            if p.grad is None:
                continue
            m.mul_(b1).add_(p.grad, alpha=1 - b1)
            v.mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
            mh = m / (1 - b1 ** self.t)
            vh = v / (1 - b2 ** self.t)
            p.addcdiv_(mh, vh.sqrt() + self.eps, value=-self.lr)  # BUG
