"""Lion and a lookahead wrapper, plus a small fit function."""
from typing import Callable, Optional
import torch
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, centralize=True):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, centralize=centralize))

    @torch.no_grad()
    def step(self, closure: Optional[Callable] = None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group['betas']
            for p in group['params']:
                if p.grad is None:
                    continue
                g = p.grad
                if group['centralize'] and g.dim() > 1:
                    g.sub_(g.mean(dim=tuple(range(1, g.dim())), keepdim=True))
                state = self.state[p]
                if not state:
                    state['exp_avg'] = torch.zeros_like(p)
                m = state['exp_avg']
                p.mul_(1 - group['lr'] * group['weight_decay'])
                update = m.clone().mul_(b1).add_(g, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group['lr'])
                m.mul_(b2).add_(g, alpha=1 - b2)
        return loss


class Lookahead:
    def __init__(self, base: Optimizer, k: int = 2, alpha: float = 0.5):
        self.base, self.k, self.alpha = base, k, alpha
        self.slow = [[p.detach().clone() for p in g['params']] for g in base.param_groups]
        self.n = 0

    def zero_grad(self):
        self.base.zero_grad(set_to_none=False)

    @torch.no_grad()
    def sync(self):
        for group, slow in zip(self.base.param_groups, self.slow):
            for p, s in zip(group['params'], slow):
                s.add_(p - s, alpha=self.alpha)
                p.copy_(s)

    def step(self, closure=None):
        loss = self.base.step(closure)
        self.n += 1
        if self.n % self.k == 0:
            self.sync()
        return loss


def clip_grad_agc_(params, factor=0.01, eps=1e-3):
    for p in params:
        if p.grad is None:
            continue
        limit = p.detach().norm().clamp_(min=eps).mul_(factor)
        gn = p.grad.norm()
        if gn > limit:
            p.grad.mul_(limit / (gn + 1e-6))


def fit(model, opt, x, y, steps):
    history = torch.zeros(steps)
    for i in range(steps):
        def closure():
            opt.zero_grad()
            out = model(x)
            out -= y
            loss = out.square().mean()
            loss.backward()
            clip_grad_agc_(model.parameters())
            return loss
        history[i] = opt.step(closure).detach()
    return history


# --- driver ---
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(inplace=True), torch.nn.Linear(8, 1))
fit(net, Lookahead(Lion(net.parameters(), lr=1e-2, weight_decay=0.1)), torch.randn(8, 4), torch.randn(8, 1), 2)
