"""Two optimisers written by hand and a byte-pair toy to try them on."""
import math
from typing import Callable, Optional

import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
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
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = m.mul(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group["lr"])
                m.lerp_(p.grad, 1 - b2)
        return loss


class Adafactor(Optimizer):
    def __init__(self, params, lr=1e-2, decay=0.8, clip=1.0, eps=(1e-30, 1e-3)):
        super().__init__(params, dict(lr=lr, decay=decay, clip=clip, eps=eps))

    @staticmethod
    def _rms(t):
        return t.norm() / math.sqrt(t.numel())

    def _second_moment(self, st, g2, b):
        if g2.dim() == 2:
            r = st.setdefault("row", g2.new_zeros(g2.size(0)))
            c = st.setdefault("col", g2.new_zeros(g2.size(1)))
            r.mul_(b).add_(g2.mean(1), alpha=1 - b)
            c.mul_(b).add_(g2.mean(0), alpha=1 - b)
            return torch.outer(r / r.mean(), c)
        v = st.setdefault("full", torch.zeros_like(g2))
        return v.mul_(b).add_(g2, alpha=1 - b)

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                st["t"] = st.get("t", 0) + 1
                b = 1 - st["t"] ** -group["decay"]
                v = self._second_moment(st, p.grad.square().add_(group["eps"][0]), b)
                u = p.grad * v.rsqrt()
                u.div_((self._rms(u) / group["clip"]).clamp_(min=1.0))
                scale = max(group["eps"][1], float(self._rms(p)))
                p.sub_(u, alpha=group["lr"] * scale)


class PairModel(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.left, self.right = nn.Embedding(vocab, dim), nn.Embedding(vocab, dim)
        self.mix = nn.Linear(2 * dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, pair):
        h = torch.cat([self.left(pair[:, 0]), self.right(pair[:, 1])], 1)
        h = self.mix(h).relu_()
        return self.out(h)


def linear_warmup(opt, step, warm):
    for g in opt.param_groups:
        base = g.setdefault("base_lr", g["lr"])
        g["lr"] = base * min(1.0, (step + 1) / warm)


def make_triples(n, vocab):
    pair = torch.randint(0, vocab, (n, 2))
    return pair, pair.sum(1).remainder_(vocab)


def train(model, opt, steps, vocab):
    out = []
    for s in range(steps):
        pair, nxt = make_triples(16, vocab)
        linear_warmup(opt, s, 2)

        def closure():
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(pair), nxt)
            loss.backward()
            return loss

        if isinstance(opt, Lion):
            out.append(opt.step(closure).item())
        else:
            out.append(closure().item())
            opt.step()
    return out


# --- driver ---
torch.manual_seed(0)
m1, m2 = PairModel(11, 8), PairModel(11, 8)
train(m1, Lion(m1.parameters(), lr=1e-3, weight_decay=0.1), 2, 11)
train(m2, Adafactor(m2.parameters()), 2, 11)
