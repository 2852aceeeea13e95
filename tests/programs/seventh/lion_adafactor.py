"""Two optimisers of our own and a bake-off between them."""
import math
from typing import Callable, Iterable, Optional

import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params: Iterable, lr: float = 1e-4, betas=(0.9, 0.99), weight_decay: float = 0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure: Optional[Callable] = None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                m = state.setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = m.clone().mul_(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


class MiniAdafactor(Optimizer):
    def __init__(self, params, lr=1e-2, eps=1e-30, clip=1.0, decay=-0.8):
        super().__init__(params, dict(lr=lr, eps=eps, clip=clip, decay=decay))

    @staticmethod
    def _factored(row, col):
        r = (row / row.mean(-1, keepdim=True)).rsqrt_().unsqueeze(-1)
        return r * col.rsqrt().unsqueeze(-2)

    @torch.no_grad()
    def step(self, closure=None):
        loss = closure() if closure is not None else None
        for group in self.param_groups:
            for p in group["params"]:
                g = p.grad
                if g is None:
                    continue
                s = self.state[p]
                s["t"] = s.get("t", 0) + 1
                beta = 1 - math.pow(s["t"], group["decay"])
                sq = g.square().add_(group["eps"])
                if p.dim() == 2:
                    row = s.setdefault("row", torch.zeros(p.size(0)))
                    col = s.setdefault("col", torch.zeros(p.size(1)))
                    row.mul_(beta).add_(sq.mean(-1), alpha=1 - beta)
                    col.mul_(beta).add_(sq.mean(-2), alpha=1 - beta)
                    u = self._factored(row, col).mul_(g)
                else:
                    v = s.setdefault("v", torch.zeros_like(p))
                    v.lerp_(sq, 1 - beta)
                    u = v.rsqrt().mul_(g)
                rms = u.norm(2) / u.numel() ** 0.5
                u.div_((rms / group["clip"]).clamp_(min=1.0))
                p.sub_(u, alpha=group["lr"])
        return loss


class Highway(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.h = nn.ModuleList(nn.Linear(d, d) for _ in range(n))
        self.t = nn.ModuleList(nn.Linear(d, d) for _ in range(n))
        for lin in self.t:
            nn.init.constant_(lin.bias, -1.0)
        self.out = nn.Linear(d, 1)

    def forward(self, x):
        for h, t in zip(self.h, self.t):
            gate = torch.sigmoid(t(x))
            x = gate * h(x).relu_() + (1 - gate) * x
        return self.out(x).squeeze(-1)


def bake_off(contestants, d=6, steps=2):
    scores = torch.zeros(len(contestants), steps)
    for i, build in enumerate(contestants):
        torch.manual_seed(0)
        net = Highway(d, 2)
        opt = build(net.parameters())
        x = torch.randn(16, d)
        y = x.prod(1)
        for k in range(steps):
            opt.zero_grad(set_to_none=False)
            loss = nn.functional.mse_loss(net(x), y)
            loss.backward()
            opt.step()
            scores[i, k] = loss.item()
    return scores


# --- driver ---
torch.manual_seed(0)
bake_off([lambda p: Lion(p, lr=1e-3, weight_decay=0.1), MiniAdafactor])
