"""Compare a few optimisers written by hand on a small regression task."""
import math

import torch
from torch import nn


class HandOptimizer:
    registry = {}

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        HandOptimizer.registry[cls.__name__.lower()] = cls

    def __init__(self, params, lr=1e-2, **hp):
        self.params = [p for p in params if p.requires_grad]
        self.lr, self.hp, self.t = lr, hp, 0
        self.state = [{} for _ in self.params]

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, st in zip(self.params, self.state):
            if p.grad is not None:
                self.update(p, p.grad, st)

    def update(self, p, g, st):
        raise NotImplementedError


class Lion(HandOptimizer):
    def update(self, p, g, st):
        b1, b2 = self.hp.get("betas", (0.9, 0.99))
        m = st.setdefault("m", torch.zeros_like(p))
        p.sub_(m.lerp(g, 1 - b1).sign_(), alpha=self.lr)
        m.lerp_(g, 1 - b2)


class AdamLike(HandOptimizer):
    def update(self, p, g, st):
        b1, b2 = self.hp.get("betas", (0.9, 0.999))
        m = st.setdefault("m", torch.zeros_like(p))
        v = st.setdefault("v", torch.zeros_like(p))
        m.mul_(b1).add_(g, alpha=1 - b1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        denom = (v.sqrt() / math.sqrt(1 - b2 ** self.t)).add_(1e-8)
        p.addcdiv_(m, denom, value=-self.lr / (1 - b1 ** self.t))


class Lars(HandOptimizer):
    def update(self, p, g, st):
        trust = p.norm() / (g.norm() + 1e-9) if p.ndim > 1 else torch.ones(())
        buf = st.setdefault("buf", torch.zeros_like(p))
        buf.mul_(self.hp.get("momentum", 0.9)).add_(g * trust.clamp_(max=10.0))
        p -= self.lr * buf


class Centralised(AdamLike):
    """Adam on centralised gradients."""

    def update(self, p, g, st):
        if g.ndim > 1:
            g -= g.mean(dim=tuple(range(1, g.ndim)), keepdim=True)
        super().update(p, g, st)


def make_net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))


def clip(params, limit):
    total = torch.stack([p.grad.norm() for p in params]).norm()
    if total > limit:
        for p in params:
            p.grad.mul_(limit / total)


def compare(steps=3, lrs=None):
    lrs = lrs or {"lion": 1e-3, "adamlike": 1e-2, "lars": 1e-2, "centralised": 1e-2}
    for name, lr in lrs.items():
        net = make_net()
        opt = HandOptimizer.registry[name](net.parameters(), lr=lr)
        g = torch.Generator().manual_seed(1)
        for _ in range(steps):
            x = torch.randn(32, 6, generator=g)
            loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            clip(opt.params, 1.0)
            opt.step()
        print(f"{name:12s} {loss.item():.4f}")


# --- driver ---
if __name__ == "__main__":
    compare()
