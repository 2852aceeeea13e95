import math
from typing import Dict, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class PrivacyAccountant:
    def __init__(self, sigma: float, rate: float, orders=(2, 4, 8, 16)):
        self.orders = torch.tensor(orders, dtype=torch.float)
        self.rdp = torch.zeros(len(orders))
        self.sigma, self.rate = sigma, rate

    def step(self):
        self.rdp.add_(self.orders * self.rate ** 2 / (2 * self.sigma ** 2))

    def epsilon(self, delta=1e-5):
        eps = self.rdp.clone()
        eps += math.log(1 / delta) / (self.orders - 1)
        return eps.min().item()


class PerSampleClipper:
    def __init__(self, params: List[nn.Parameter], max_norm: float, sigma: float):
        self.params, self.max_norm, self.sigma = params, max_norm, sigma
        self.sums = [torch.zeros_like(p) for p in params]

    def reset(self):
        torch._foreach_zero_(self.sums)

    @torch.no_grad()
    def accumulate(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        coef = (self.max_norm / (norm + 1e-6)).clamp_(max=1.0)
        for s, p in zip(self.sums, self.params):
            s.add_(p.grad.mul_(coef))
            p.grad.zero_()

    @torch.no_grad()
    def finalize(self, n):
        for s, p in zip(self.sums, self.params):
            p.grad.copy_(s).add_(torch.randn_like(s), alpha=self.sigma * self.max_norm).div_(n)


class PCGrad:
    """Project conflicting task gradients on each other's normal plane."""

    def __init__(self, params):
        self.params = list(params)

    def flat(self, loss):
        grads = torch.autograd.grad(loss, self.params, retain_graph=True, allow_unused=True)
        return torch.cat([(torch.zeros_like(p) if g is None else g).flatten() for g, p in zip(grads, self.params)])

    def backward(self, losses: Dict[str, torch.Tensor]):
        raw = [self.flat(l) for l in losses.values()]
        out = [g.clone() for g in raw]
        for i, g in enumerate(out):
            for j, other in enumerate(raw):
                if i == j:
                    continue
                dot = torch.dot(g, other)
                if dot < 0:
                    g.sub_(other * (dot / other.square().sum().clamp_(min=1e-12)))
        merged, k = torch.stack(out).sum(0), 0
        for p in self.params:
            p.grad = merged[k : k + p.numel()].view_as(p).clone()
            k += p.numel()


class MultiTask(nn.Module):
    def __init__(self, d, dim=8):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(d, dim), nn.GroupNorm(2, dim), nn.ReLU(inplace=True))
        self.cls, self.reg = nn.Linear(dim, 3), nn.Linear(dim, 1)

    def forward(self, x):
        h = self.trunk(x)
        r = self.reg(h).squeeze(-1)
        r += x.mean(-1)
        return self.cls(h), r


def task_losses(model, x, y, t):
    logits, r = model(x)
    return {"cls": F.cross_entropy(logits, y), "reg": F.mse_loss(r, t)}


def private_step(model, clipper, acct, opt, x, y, t):
    clipper.reset()
    opt.zero_grad()
    for i in range(len(x)):
        sum(task_losses(model, x[i : i + 1], y[i : i + 1], t[i : i + 1]).values()).backward()
        clipper.accumulate()
    clipper.finalize(len(x))
    opt.step()
    acct.step()


def public_step(model, surgeon, opt, x, y, t):
    opt.zero_grad()
    surgeon.backward(task_losses(model, x, y, t))
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    opt.step()


# --- driver ---
torch.manual_seed(0)
model = MultiTask(5)
params, acct = list(model.parameters()), PrivacyAccountant(1.0, 0.1)
opt, clipper, surgeon = torch.optim.SGD(params, lr=0.1), PerSampleClipper(params, 1.0, 1.0), PCGrad(params)
batch = torch.randn(4, 5), torch.randint(0, 3, (4,)), torch.randn(4)
private_step(model, clipper, acct, opt, *batch)
public_step(model, surgeon, opt, *batch)
